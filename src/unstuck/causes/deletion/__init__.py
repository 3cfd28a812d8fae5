"""Deletions that go their ordinary way."""
