"""Directories and archives."""
