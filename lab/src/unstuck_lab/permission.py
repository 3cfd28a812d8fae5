"""Refuses all setup work while tests run.

A test that builds or downloads depends on earlier runs and on a network, and competes with the labs beside it
for the machine.
"""

import os

from unstuck_lab.errors import LabError

FROZEN = "UNSTUCK_LAB_FROZEN"


class NotSetUpError(LabError):
    """Something is missing that the setup provides."""


def require_setup_allowed(subject: str) -> None:
    """Raise `NotSetUpError` where `UNSTUCK_LAB_FROZEN` forbids to install, build or download `subject`."""
    if os.environ.get(FROZEN) == "1":
        raise NotSetUpError(
            "is missing, and tests neither install, build nor download",
            subject,
            "run `unstuck-lab setup` first",
        )
