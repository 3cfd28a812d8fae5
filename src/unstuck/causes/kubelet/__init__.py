"""The kubelet itself."""
