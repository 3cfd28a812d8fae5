"""An immutable file in an emptyDir: the kubelet cannot empty the volume, reports it only in its own log, and
the Pod stays.
"""

from unstuck_lab.faults import _immutable

FAULT = _immutable.make_fault(
    "file-immutable", "a Pod stays because a file in its emptyDir is immutable", pod="ed-immut", attribute="i"
)
