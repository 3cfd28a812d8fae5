"""Parses the kernel's log: blocked tasks, file systems that failed, servers that do not answer, limits that
were reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from unstuck.collect.node.kernel import KernelLine
from unstuck.facts.aspects.kernel import HungTask, KernelEvent, KernelKind
from unstuck.facts.regex import regex
from unstuck.wording.kernel import BLOCKED, match_end, match_event, may_tell_event

_MAX_EVENTS = 200
_MAX_TASKS = 100
_TRACE = 80
_FUNCTIONS = 8
_QUOTE = 300
_FUNCTION = regex(
    r"^\s*(?:\[<[0-9a-f]+>\]\s*)?(?P<guess>\? )?(?P<name>[A-Za-z_][\w.]{0,127})\+0x[0-9a-f]+/0x[0-9a-f]+(?: "
    r"\[(?P<module>\w{1,64})\])?"
)
_SCHEDULER = regex(r"^_*(?:io_)?schedule(?:_\w+)?(?:\.\w+)*$|^__switch_to|^context_switch")


def parse_events(lines: Iterable[KernelLine]) -> list[KernelEvent]:
    """Return each kind of each thing once, in the order of its last line; at most the last 200."""
    out: dict[tuple[KernelKind, str], KernelEvent] = {}
    for line in lines:
        if not may_tell_event(line.text):
            continue
        if (found := match_end(line.text)) and found in out:
            out[found] = replace(out[found], over=True)
        elif found := match_event(line.text):
            old = out.pop(found, None)
            first = old.first if old and old.first else line.at
            out[found] = KernelEvent(
                *found,
                (old.count if old else 0) + 1,
                first,
                line.at or (old.last if old else None),
                line.text[:_QUOTE],
            )
    return list(out.values())[-_MAX_EVENTS:]


def parse_hung_tasks(lines: Sequence[KernelLine]) -> list[HungTask]:
    """Return tasks found blocked, each once with its last call trace; at most the last 100."""
    out: dict[tuple[str, int], HungTask] = {}
    for index, line in enumerate(lines):
        found = BLOCKED.search(line.text) if "blocked" in line.text else None
        if found is None:
            continue
        key = (found["comm"], int(found["pid"]))
        old = out.pop(key, None)
        functions = tuple(_parse_trace(lines[index + 1 : index + 1 + _TRACE])) or (
            old.functions if old else ()
        )
        out[key] = HungTask(
            *key,
            int(found["seconds"]),
            functions,
            (old.count if old else 0) + 1,
            old.first if old and old.first else line.at,
            line.at or (old.last if old else None),
        )
    return list(out.values())[-_MAX_TASKS:]


def _parse_trace(lines: Iterable[KernelLine]) -> list[str]:
    """Return the functions of a call trace that the unwinder is sure of, innermost first, without the
    scheduler's.
    """
    out: list[str] = []
    began = False
    for line in lines:
        text = line.text
        found = _FUNCTION.match(text) if began else None
        if found and not found["guess"] and not _SCHEDULER.match(found["name"]):
            out.append(found["name"] + (f" [{found['module']}]" if found["module"] else ""))
        ended = BLOCKED.search(text) or "</TASK>" in text or (out and found is None)
        if ended or len(out) >= _FUNCTIONS:
            break
        began = began or "Call Trace" in text
    return out
