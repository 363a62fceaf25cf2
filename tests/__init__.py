"""The tests. A regular package, so that it is found before the `tests` that marquez-python installs
beside its own."""
