"""Access to a live cluster's API server, and the translation of questions about objects into requests."""
