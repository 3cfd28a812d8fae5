"""A wrapper script for another runc stands between the runtime and runc, and passes an unknown option."""

from unstuck_lab.faults import _handler

FAULT = _handler.make_fault(
    "other-runc",
    "a Pod does not start because its runtime calls runc as another version of it",
    handler="other-runc",
    pod="wrapped",
    says="flag provided but not defined",
    accepts="runtime.version-mismatch",
)
