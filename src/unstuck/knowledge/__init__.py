"""Facts about Kubernetes itself as data, with a source for each row."""
