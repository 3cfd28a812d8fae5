"""Text that a person pasted, in whatever form, to facts."""
