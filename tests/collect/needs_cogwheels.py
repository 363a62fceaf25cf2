"""An entry whose extra is not installed."""

import cogwheels  # type: ignore[import-not-found]

X = cogwheels
