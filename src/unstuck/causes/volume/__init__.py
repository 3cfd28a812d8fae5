"""Volumes and their servers."""
