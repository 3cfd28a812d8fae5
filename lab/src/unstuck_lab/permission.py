"""Refuses all setup work during tests.

A test that builds or downloads depends on earlier runs and on a network, and competes with other labs for the
host.
"""

import os

from unstuck_lab.errors import LabError

FROZEN = "UNSTUCK_LAB_FROZEN"


class NotSetUpError(LabError):
    """A missing prerequisite that the setup provides."""


def require_setup_allowed(subject: str) -> None:
    """Raise `NotSetUpError` if `UNSTUCK_LAB_FROZEN` forbids installing, building or downloading `subject`."""
    if os.environ.get(FROZEN) == "1":
        raise NotSetUpError(
            "is missing, and tests neither install, build nor download",
            subject,
            "run `unstuck-lab setup` first",
        )
