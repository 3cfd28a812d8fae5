"""Logs: of the kubelet, the runtimes, the control plane and containers, from files or through journalctl."""
