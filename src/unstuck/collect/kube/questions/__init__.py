"""Turns one question about an object into requests, and their replies into facts. A module for each kind
of question.
"""
