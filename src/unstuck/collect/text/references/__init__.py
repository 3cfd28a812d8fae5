"""Partial names in a text: which container a number means, and which partial names mean one object."""
