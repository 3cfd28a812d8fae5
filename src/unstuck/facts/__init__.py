"""Observations. Standard library only: these modules also run inside the node's one-file collector."""
