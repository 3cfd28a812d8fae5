"""Processes that can neither continue nor end."""
