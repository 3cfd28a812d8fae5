"""What keeps a Pod from being placed on a Node."""
