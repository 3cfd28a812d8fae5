"""A wrapper script made for another runc is between the runtime and runc, which does not know its option."""

from unstuck_lab.faults import _handler

FAULT = _handler.make_fault(
    "other-runc",
    "a Pod does not start because its runtime calls runc as another version of it",
    handler="other-runc",
    pod="wrapped",
    says="flag provided but not defined",
    accepts="runtime.version-mismatch",
)
