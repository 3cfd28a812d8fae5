"""The runtime has to give its containers a higher limit of open files than its own."""

from unstuck_lab.faults import _handler

FAULT = _handler.make_fault(
    "limit-of-runtime",
    "a Pod does not start because its runtime may not give it so many open files",
    handler="high-limits",
    pod="wants-many-files",
    says="rlimit",
    accepts="runtime.ulimit-too-low",
)
