"""Large logs as bytes: what tells nothing is left out before a line of them is read."""
