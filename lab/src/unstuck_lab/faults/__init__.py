"""The catalogue: one file, one fault. Each module defines `FAULT`; nothing lists them."""
