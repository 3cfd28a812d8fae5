"""Processes that cannot go on or end."""
