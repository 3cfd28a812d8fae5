"""The relation of two lines in one short text: one reports an error, the other shows why."""

from __future__ import annotations

from typing import ClassVar, Literal

from unstuck.facts.core import Fact
from unstuck.facts.record import record

# How the deciding line is related to the reported error.
Relation = Literal[
    "block-string",
    "data-kept",
    "export-missing",
    "file-system-full",
    "indentation",
    "inodes-used-up",
    "keys-on-one-line",
    "line-break",
    "loopback-only",
    "name-outside",
    "other-architecture",
    "path-owner",
    "port-held",
    "run-as",
    "second-line",
    "setting-unread",
    "tab",
    "unquoted",
    "variable-empty",
]


@record(kw_only=True)
class ShownReason(Fact):
    """A line of a short text that shows why another line of it reports an error. Never whole.

    about: the text, by its name. src: the deciding line. at: the place of the report; line: its words. name:
    the faulty thing: a mount point, program, variable, path or key. value, other: what is known of it, by
    the relation (`diagnosis/beside.py`).
    """

    relation: Relation
    at: str
    line: str
    name: str = ""
    value: str = ""
    other: str = ""
    refless: ClassVar[bool] = True
