"""Events out of files, for `headwater emit`."""
