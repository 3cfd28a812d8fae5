"""The storage attaches no further volume to the Pod's node, though the scheduler knows of no limit."""

from unstuck_lab.faults import _attach

FAULT = _attach.make_refusal_fault(
    "attach-limit",
    "a Pod's volume is not attached: its node holds as many as it may",
    pod="one-disk-more",
    told="attach-full",
    says="ResourceExhausted",
    accepts="volume.attach-limit",
)
