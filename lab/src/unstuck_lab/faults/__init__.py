"""The catalogue: one file per fault. Each module defines `FAULT`; they are found by listing the directory."""
