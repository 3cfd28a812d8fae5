"""Facts about Kubernetes itself as data, each row with its source."""
