"""The lines of stages that a Pod or a Namespace goes through, and which of them is not done."""
