"""Kubernetes objects as JSON or YAML: whole, cut out, or a long stream of them."""
