"""What is wrong with: control groups on a Node."""
