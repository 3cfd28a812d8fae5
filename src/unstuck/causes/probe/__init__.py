"""Probes: what the kubelet asks of containers, and what it gets."""
