"""The log file that a program writes beside its output: named in its last lines, or in a volume for logs."""

from __future__ import annotations

from datetime import datetime, timedelta

from unstuck.causes import _node_place
from unstuck.causes._commands import place_on_node
from unstuck.causes._node_place import find_node_place, list_wants_of_place
from unstuck.causes._path_volume import find_paths
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.node_files import FileLines
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Fact, Ref, Want, quote_line
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = _node_place.READS | {FileLines}
_LOG = regex(r"(?i)(?:log|\.out|\.err)(?:[.-]?\d{1,10})?(?:\.txt)?$")
_OF_LOGS = regex(r"(?i)log")
# Lines that may name it, mounts to look at, and characters of a line that are quoted.
_LAST, _MOUNTS = 3, 3
# A file system rounds the time of a write.
_SLACK = timedelta(seconds=2)


@record()
class LogFile(Record):
    """A program's own log file. found: its last lines, None if they were not read, or are older than the run.
    wants: the questions that would read them.
    """

    found: FileLines | None = None
    wants: tuple[Want, ...] = ()

    def find_complaint(self) -> Complaint | None:
        """Return the reason for the program's failure that these lines give."""
        return self.found.complaint if self.found else None

    def quote(self) -> Text:
        """Return `; its log file /x/error.log on Node n ends with “…”`."""
        if self.found is None:
            return NO_TEXT
        return say(
            "; its log file {path} on Node {node} ends with “{line}”",
            path=self.found.path,
            node=self.found.about.within or "",
            line=quote_line(self.found.lines[-1].strip()),
        )

    def look(self) -> tuple[Step, ...]:
        """Return the step that shows more of it."""
        if self.found is None:
            return ()
        return (
            Step(
                say("read the earlier lines of its log file"),
                where=place_on_node(self.found.about.within),
                command=command("tail -n 100 {path}", path=given.path(self.found.path)),
            ),
        )


def find_log_file(
    pod: Ref, container: str | None, lines: tuple[str, ...], since: datetime | None, snap: Facts
) -> LogFile:
    """Return the log file that a container's last lines name, else the newest file in a volume whose name
    means logs. since: the start of the run; older lines are from another run.
    """
    if pod.kind != "Pod":
        return LogFile()
    named = [p for line in lines[-_LAST:] for p in find_paths(line) if _LOG.search(p)]
    spec = find_container_spec(pod, container, snap)
    mounted = [
        at for at, volume in (spec.mounts if spec else ()) if _OF_LOGS.search(volume) or _OF_LOGS.search(at)
    ]
    wants: list[Want] = []
    for path in unique((*named, *mounted[:_MOUNTS])):
        place = find_node_place(pod, container, path, snap)
        if place is None:
            wants += [w for w in list_wants_of_place(pod, snap, container, path) if path in named]
            continue
        want = Want(FileLines, place.path)
        known = [f for f in snap.of(FileLines, place.path) if f.lines and _is_of_run(f, since)]
        if known:
            return LogFile(known[0])
        wants += () if snap.answered(want) else (want,)
    return LogFile(wants=unique(wants))


def _is_of_run(found: FileLines, since: datetime | None) -> bool:
    return found.written is None or since is None or found.written >= since - _SLACK
