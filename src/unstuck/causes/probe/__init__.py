"""Probes: the kubelet's checks of containers, and their results."""
