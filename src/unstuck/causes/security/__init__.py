"""Refusals by the Pod's security settings and the Node's confinement."""
