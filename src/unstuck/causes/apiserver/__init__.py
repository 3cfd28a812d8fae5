"""Failures of the API server and its storage."""
