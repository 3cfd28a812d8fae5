"""A file in an emptyDir is append-only: like an immutable one it cannot be removed, and the Pod stays."""

from unstuck_lab.faults import _immutable

FAULT = _immutable.make_fault(
    "file-append-only",
    "a Pod stays because a file in its emptyDir is append-only",
    pod="ed-append",
    attribute="a",
)
