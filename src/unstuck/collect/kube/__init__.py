"""A live cluster's API server: how it is reached, and how questions about objects become requests."""
