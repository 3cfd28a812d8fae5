"""The stuck objects, one per line, as arguments of another command: `pod/web-0 -n shop`."""

from __future__ import annotations

from unstuck.diagnosis.answer import Answer
from unstuck.diagnosis.asking import name_subject
from unstuck.render.troubles import find_stuck


def names(report: Answer) -> str:
    """Return the lines, each quoted for a POSIX shell; objects without a known name are left out."""
    lines = dict.fromkeys(name_subject(subject).line for subject in find_stuck(report) if subject.name)
    return "".join(f"{line}\n" for line in lines if line)


def count_nameless(report: Answer) -> int:
    """Count the stuck objects without a name."""
    return sum(not (subject.name and name_subject(subject)) for subject in dict.fromkeys(find_stuck(report)))
