"""Redacts a Snapshot for others to read."""
