"""Conclusions from facts, shared by several causes."""
