"""A whole Namespace or cluster: short lists first, then in full what looks ill."""
