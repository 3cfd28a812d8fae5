"""The kubelet's own HTTP API, asked from inside the cluster with the fine-grained `nodes/…` permissions.
Standard library only.
"""
