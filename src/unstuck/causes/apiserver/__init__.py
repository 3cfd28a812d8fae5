"""What the API server and its storage cannot do any more."""
