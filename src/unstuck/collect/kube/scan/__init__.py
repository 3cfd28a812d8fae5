"""Scans a whole Namespace or cluster: short lists first, then ill-looking objects in full."""
