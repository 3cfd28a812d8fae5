"""Large logs as bytes: lines without facts are dropped before any line is read."""
