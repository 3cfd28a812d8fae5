"""Networks of Pods and of nodes."""
