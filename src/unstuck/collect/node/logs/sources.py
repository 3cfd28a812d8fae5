"""Finds a node's logs: a component's own file, systemd's journal, or a syslog daemon's files.

Sources: logrotate and rsyslog as Debian, Ubuntu, RHEL, SUSE and Alpine set them up; k3s, RKE2 and microk8s by
their documents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from unstuck.collect.node import recorded_tree
from unstuck.collect.node.kubelet import Kubelet
from unstuck.collect.node.logs import journal
from unstuck.collect.node.logs.files import CAP, LogClock, read_tail
from unstuck.collect.node.logs.log import Log, LogPiece, Window, span
from unstuck.collect.node.proc import ProcessTable
from unstuck.collect.node.root import Root
from unstuck.facts.record import Record, record

COMPONENTS = ("kubelet", "containerd", "crio", "dockerd")
# In files of their own; the directories are listed, never walked.
_DIRECTORIES = (
    "/var/log",
    "/var/log/kubernetes",
    "/var/log/containerd",
    "/var/log/docker",
    "/var/log/crio",
    "/var/log/upstart",
)
_FILES = {
    "kubelet": ("/var/lib/rancher/rke2/agent/logs/kubelet.log", "/var/log/k3s.log", "/var/log/rke2.log"),
    "containerd": (
        "/var/lib/rancher/rke2/agent/containerd/containerd.log",
        "/var/lib/rancher/k3s/agent/containerd/containerd.log",
    ),
    "dockerd": ("/var/log/docker", "/var/log/docker.log", "/var/log/upstart/docker.log"),
    "crio": (),
}
_SYSLOGS = ("/var/log/messages", "/var/log/syslog", "/var/log/daemon.log")
_PROGRAMS = {
    "kubelet": "kubelet",
    "hyperkube": "kubelet",
    "k3s": "kubelet",
    "rke2": "kubelet",
    "containerd": "containerd",
    "docker-containerd": "containerd",
    "dockerd": "dockerd",
    "docker": "dockerd",
    "dockerd-current": "dockerd",
    "crio": "crio",
}
# The kubelet's log is the most useful one.
_SHARE = {"kubelet": CAP, "containerd": CAP // 3, "crio": CAP // 3, "dockerd": CAP // 3}
_SYSLOG_LINE = re.compile(
    rb"^(?P<at>[A-Z][a-z]{2} {1,2}\d{1,2} [\d:]{8}|\d{4}-\d\d-\d\dT[\d:]{8})\S{0,16} \S{1,253} "
    rb"(?P<program>[\w.@/-]{1,64})(?:\[(?P<pid>\d{1,10})\])?: (?P<rest>[^\n]*)",
    re.MULTILINE,
)
_OWN_HEADER = re.compile(rb"[IWEF]\d{4} \d\d:|time=\"|\{\"ts\":")


@record()
class LogPlace(Record):
    """A node whose logs are searched for. may_touch: whether a path may be touched directly."""

    root: Root
    kubelet: Kubelet
    table: ProcessTable
    may_touch: Callable[[str], bool]


def read_node_logs(place: LogPlace, when: Sequence[Window], clock: LogClock) -> tuple[Log, ...]:
    """Return each component's log: the first of its files, the journal and a syslog that has entries in
    the time windows.
    """
    if not place.root.live and (
        kept := {n: said for n in COMPONENTS if (said := recorded_tree.log(place.root, n))}
    ):
        return tuple(Log(n, tuple(LogPiece(*one) for one in said), clock.zone) for n, said in kept.items())
    own: dict[str, Log] = {}
    old: dict[str, Log] = {}
    for name in COMPONENTS:
        for path in filter(place.may_touch, _list_files(place, name)):
            if log := read_tail(place.root, path, name, when, clock, _SHARE[name]):
                (own if _is_fresh(log, when, clock) else old).setdefault(name, log)
                if name in own:
                    break
    for source in (_read_journal, _read_syslog):
        wanted = [n for n in COMPONENTS if n not in own]
        own = {**source(place, wanted, when, clock), **own} if wanted else own
    return tuple(log for n in COMPONENTS if (log := own.get(n) or old.get(n)))


def _is_fresh(log: Log, when: Sequence[Window], clock: LogClock) -> bool:
    """Tell whether a log's last line is within the time in question; a log without times counts as fresh."""
    last = span(log, clock.now)[1]
    return last is None or last >= when[0].start


def has_unread_journal(root: Root) -> bool:
    """Tell whether there is a journal, but neither a program nor a library to read it."""
    return bool(journal.directories(root)) and not journal.is_readable()


def _read_journal(
    place: LogPlace, wanted: Sequence[str], when: Sequence[Window], clock: LogClock
) -> dict[str, Log]:
    if not all(map(place.may_touch, journal.PLACES)) or not journal.directories(place.root):
        return {}
    said: dict[str, list[journal.JournalEntry]] = {}
    for entry in journal.read_components(place.root, when):
        said.setdefault(entry.component, []).append(entry)
    return {
        n: Log(n, (LogPiece(f"journalctl _COMM={n}", journal.format_entries(said[n])),), clock.zone)
        for n in wanted
        if n in said
    }


def _read_syslog(
    place: LogPlace, wanted: Sequence[str], when: Sequence[Window], clock: LogClock
) -> dict[str, Log]:
    for path in filter(place.may_touch, _SYSLOGS):
        found = read_tail(place.root, path, "syslog", when, clock)
        if found is None:
            continue
        parts = {n: tuple(_of_program(p, n) for p in found.pieces) for n in wanted}
        told = {
            n: tuple(p for p in pieces if p.data or p.cut)
            for n, pieces in parts.items()
            if any(p.data for p in pieces)
        }
        logs = {n: Log(n, pieces, clock.zone) for n, pieces in told.items()}
        if logs:
            return logs
    return {}


def _of_program(piece: LogPiece, component: str) -> LogPiece:
    """Return a component's lines. A message of several lines has one stamp for each: they are put together
    again.
    """
    if not any(b" " + p.encode() in piece.data for p, c in _PROGRAMS.items() if c == component):
        return LogPiece(piece.where, b"", cut=piece.cut)
    out: list[bytes] = []
    before: tuple[bytes, bytes] | None = None
    for found in _SYSLOG_LINE.finditer(piece.data):
        program = found["program"].rpartition(b"/")[2].decode("ascii", "replace")
        if _PROGRAMS.get(program) != component:
            continue
        who = (found["at"], found["pid"] or b"")
        continues = who == before and bool(who[1]) and not _OWN_HEADER.match(found["rest"])
        out.append(found["rest"] if continues else found[0])
        before = who
    return LogPiece(piece.where, b"\n".join(out), cut=piece.cut)


def _list_files(place: LogPlace, component: str) -> Iterator[str]:
    """Yield files named by its flag, by its output's redirection, and in the usual places (newest first)."""
    root, kubelet = place.root, place.kubelet
    if component == "kubelet":
        yield from filter(None, [kubelet.settings.flags.get("log-file")])
    usual = dict(_list_usual_files(place, component))
    process = kubelet.process if component == "kubelet" else None
    process = process or next(
        (p for p in place.table.user if p.stat.comm == component and p.groups.pod is None), None
    )
    links = [root.link(f"/proc/{process.pid}/fd/{fd}")[0] for fd in (2, 1)] if process else []
    outputs = [o for o in links if o.startswith("/") and not o.startswith("/dev/") and place.may_touch(o)]
    inodes = {(s.st_dev, s.st_ino) for o in outputs if (s := root.stat(o))}
    same = [p for p in usual if (s := root.stat(p)) and (s.st_dev, s.st_ino) in inodes]
    yield from dict.fromkeys([*same, *outputs, *sorted(usual, key=lambda p: (-usual[p], p))])


def _list_usual_files(place: LogPlace, component: str) -> Iterator[tuple[str, float]]:
    for directory in _DIRECTORIES:
        for name in (place.root.names(directory) if place.may_touch(directory) else None) or ():
            if (
                component in name
                and name.endswith((".log", ".INFO"))
                and (s := place.root.stat(f"{directory}/{name}"))
            ):
                yield f"{directory}/{name}", s.st_mtime
    for path in _FILES[component]:
        if place.may_touch(path) and (s := place.root.stat(path)) and s.st_mode & 0o170000 == 0o100000:
            yield path, s.st_mtime
