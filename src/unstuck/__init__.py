"""unstuck: why something in Kubernetes is stuck, with proof, and what safely gets it unstuck."""

__version__ = "0.1.0"
