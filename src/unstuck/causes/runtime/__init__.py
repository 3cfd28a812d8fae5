"""What is wrong with: the container runtime of a Node."""
