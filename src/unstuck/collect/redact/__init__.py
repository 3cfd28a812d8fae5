"""A Snapshot for somebody else's eyes."""
