"""Conclusions from facts that several causes need."""
