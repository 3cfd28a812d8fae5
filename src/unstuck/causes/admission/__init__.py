"""Writes that are refused before they are stored."""
