"""Limits of containers' resources."""
