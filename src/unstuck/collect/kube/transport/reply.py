"""The server's reply to one GET, or the reason for none: always a value."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property

from unstuck.collect.kube.transport.connection import StoppedAt
from unstuck.collect.kube.transport.room import Share, TooLarge
from unstuck.collect.objects import doc
from unstuck.facts.core import WhyOpen


@dataclass(frozen=True)
class Reply:
    """path: with its query, as requested. status: 0 without an answer. why: set unless the answer can be used
    or is a 404.

    stopped_at: the step on the way through a proxy at which the request ended, "" if it did not. share: the
    body's share of the room.
    """

    path: str
    status: int
    body: bytes = b""
    why: WhyOpen | None = None
    detail: str = ""
    stopped_at: StoppedAt = ""
    share: Share | None = field(default=None, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether the body is the requested one."""
        return 200 <= self.status < 300 and self.why is None

    @cached_property
    def doc(self) -> doc.Doc:
        """The body as a mapping; empty if it is not one."""
        try:
            value = json.loads(self.body)
        except (ValueError, RecursionError):
            return doc.EMPTY
        return doc.section(value)

    @property
    def text(self) -> str:
        """The body as text; undecodable bytes are replaced."""
        return self.body.decode("utf-8", "replace")

    @property
    def message(self) -> str:
        """The server's own words for an error, in one line: the Status object's message, else the first line
        of the body.

        A list that could not be read (`StoreReadError`, 1.32 on) names its objects in the causes only: the
        first is included, too.
        """
        said = doc.text(self.doc, "message") or next(iter(self.text.strip().splitlines()), "")
        if doc.text(self.doc, "reason") == "StoreReadError":
            said += "".join(
                f": {doc.text(c, 'message')}" for c in doc.rows(self.doc, "details", "causes")[:1]
            )
        return " ".join(said[:1000].split())[:400]

    @property
    def object_missing(self) -> bool:
        """404 for a missing object, in contrast to an unserved resource type."""
        return self.status == 404 and bool(doc.text(self.doc, "details", "name"))


def make_too_large(path: str, error: TooLarge) -> Reply:
    """Return the reply for an answer that was not read to its end, or not decoded."""
    return Reply(
        path, 0, why="too-large", detail=f"GET {path.partition('?')[0]}: more than {error.most}{error.when}"
    )
