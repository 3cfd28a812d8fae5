"""What keeps a Namespace from going."""
