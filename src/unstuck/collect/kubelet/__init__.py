"""The kubelet's own HTTP API, asked from inside the cluster with the fine-grained `nodes/…` permissions. Standard library only."""

from unstuck.collect.kubelet.client import KubeletClient
from unstuck.collect.kubelet.facts import kubelet_facts

__all__ = ["KubeletClient", "kubelet_facts"]
