"""The stages of a Pod's or Namespace's start and deletion, and the unfinished one among them."""
