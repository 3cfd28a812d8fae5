"""Finds which cloud gave an answer, by its contents other than its reason."""

from __future__ import annotations

from unstuck.diagnosis.text import Messages, Text

say = Messages(__name__)

_WHOSE = (
    ("googleapi: ", "Google Cloud"),
    ("ServerFaultCode: ", "vSphere"),
    ("azure", "Azure"),
    ("Azure", "Azure"),
    ("Microsoft.", "Azure"),
    ("arn:aws", "AWS"),
    ("UnauthorizedOperation", "AWS"),
    ("operation error ", "AWS"),
    ("An error occurred (", "AWS"),
    ("request id: ", "AWS"),
    ("Policy doesn't allow", "OpenStack"),
)


def name_cloud(line: str) -> str | Text:
    """Return the name of the cloud whose answer is in a line."""
    return next((name for word, name in _WHOSE if word in line), say("the cloud"))
