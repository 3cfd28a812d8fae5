"""Volumes and what serves them."""
