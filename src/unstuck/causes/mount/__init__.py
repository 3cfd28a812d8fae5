"""Mounts that cannot be undone."""
