"""Every format of text, in the order of trying them at an unclaimed line: narrower beginnings first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from unstuck.collect.text.cutting import message
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.kubectl import (
    describe,
    describe_conditions,
    describe_namespace,
    describe_part,
    drain,
    events,
    rollout,
    server,
    tables,
    versions,
)
from unstuck.collect.text.logs import (
    container_log,
    goroutines,
    journal_marks,
    journald,
    node_log,
    pod_logs,
    recorded_events,
)
from unstuck.collect.text.node import (
    certificate_dates,
    cgroup_find,
    cni_directories,
    container_gone,
    container_inspect,
    crictl,
    disk,
    dmesg,
    docker_info,
    docker_ps,
    inotify,
    interrupted,
    lsattr,
    lsof,
    mountinfo_grep,
    mounts,
    ps,
    ps_columns,
    ps_daemons,
    task_ls,
    unit_file,
    unit_status,
)
from unstuck.collect.text.objects import condition, fragment, fragment_json, json_yaml, status


@dataclass(frozen=True, slots=True)
class Format:
    """One format. find: returns the index after the run of lines that begins at this index, None for another
    format. read: reads that run.

    holds: formats whose beginnings may occur within such a run.
    """

    name: str
    find: Callable[[Sequence[str], int, TypedCommand | None], int | None]
    read: Callable[[Piece], Reading]
    holds: frozenset[str] = frozenset()


# Their first lines are unmistakable anywhere: the format above ends there.
_ANNOUNCED = frozenset(
    {
        "describe",
        "events",
        "table",
        "log",
        "docker-info",
        "unit-status",
        "df",
        "mount",
        "mountinfo",
        "ps-columns",
        "journal",
        "json-yaml",
        "fragment",
        "fragment-json",
        "condition",
        "describe-part",
        "panic",
    }
)
_IN_A_DESCRIPTION = frozenset(
    {"events", "mount", "mountinfo", "ps-columns", "json-yaml", "describe-part", "condition"}
)
_IN_AN_OBJECT = _ANNOUNCED - {"describe", "log", "panic"}

FORMATS: tuple[Format, ...] = (
    Format("pod-logs", pod_logs.find, pod_logs.read, _ANNOUNCED),
    Format("container-gone", container_gone.find, container_gone.read),
    Format("container-log", container_log.find, container_log.read, _ANNOUNCED),
    Format("journal", journald.find, journald.read, _ANNOUNCED),
    Format("journal-marks", journal_marks.find, journal_marks.read),
    Format("inspect", container_inspect.find, container_inspect.read, _ANNOUNCED),
    Format("status", status.find, status.read),
    Format("json-yaml", json_yaml.find, json_yaml.read, _IN_AN_OBJECT),
    Format("server", server.find, server.read),
    Format("rollout", rollout.find, rollout.read),
    Format("versions", versions.find, versions.read),
    Format("describe", describe.find, describe.read, _IN_A_DESCRIPTION),
    Format("describe-namespace", describe_namespace.find, describe_namespace.read, _IN_A_DESCRIPTION),
    Format("fragment", fragment.find, fragment.read, _IN_AN_OBJECT),
    Format("fragment-json", fragment_json.find, fragment_json.read, _IN_AN_OBJECT),
    Format("condition", condition.find, condition.read, _IN_AN_OBJECT),
    Format("docker-info", docker_info.find, docker_info.read),
    Format("describe-part", describe_part.find, describe_part.read, _IN_A_DESCRIPTION),
    Format("describe-conditions", describe_conditions.find, describe_conditions.read, _IN_A_DESCRIPTION),
    Format("events", events.find, events.read, frozenset({"table"})),
    Format("table", tables.find, tables.read, frozenset({"table"})),
    Format("dmesg", dmesg.find, dmesg.read),
    Format("panic", goroutines.find_panic, goroutines.read),
    Format("goroutines", goroutines.find, goroutines.read),
    Format("unit-status", unit_status.find, unit_status.read),
    Format(
        "log", node_log.find, node_log.read, frozenset({"json-yaml", "df", "docker-info", "mount", "panic"})
    ),
    Format("lsattr", lsattr.find, lsattr.read),
    Format("mountinfo", mountinfo_grep.find, mountinfo_grep.read),
    Format("mount", mounts.find, mounts.read),
    Format("df", disk.find, disk.read),
    Format("certificate-dates", certificate_dates.find, certificate_dates.read),
    Format("lsof", lsof.find, lsof.read),
    Format("crictl", crictl.find, crictl.read),
    Format("docker-ps", docker_ps.find, docker_ps.read),
    Format("task-ls", task_ls.find, task_ls.read),
    Format("unit-file", unit_file.find, unit_file.read),
    Format("inotify", inotify.find, inotify.read),
    Format("ps-daemons", ps_daemons.find, ps_daemons.read),
    Format("ps", ps.find, ps.read),
    Format("ps-columns", ps_columns.find, ps_columns.read),
    Format("cni-directories", cni_directories.find, cni_directories.read),
    Format("cgroup-find", cgroup_find.find, cgroup_find.read),
    Format("interrupted", interrupted.find, interrupted.read),
    Format("recorded-events", recorded_events.find, recorded_events.read),
    Format("drain", drain.find, drain.read),
    Format("message", message.find, message.read),
)

BY_NAME: Mapping[str, Format] = MappingProxyType({f.name: f for f in FORMATS})
# The beginning of these keeps its meaning even if the rest is something else.
PARSED = frozenset({"json-yaml", "fragment"})
# The text within these is a program's own message, or an object's, which is read by its fields.
OF_PROGRAMS = frozenset({"pod-logs", "container-log", "json-yaml", "inspect", "journal", "message"})
_BEGIN = tuple(f for f in FORMATS if f.name in _ANNOUNCED)


def find_end_before_another(
    form: Format, lines: Sequence[str], start: int, end: int, command: TypedCommand | None
) -> int:
    """Return where a run of one format ends at the latest: at the first line within that announces another
    one.
    """
    others = [f for f in _BEGIN if f is not form and f.name not in form.holds]
    within = range(start + 1, end if others else start)
    return next(
        (
            n
            for n in within
            if lines[n].strip() and any(f.find(lines, n, command) is not None for f in others)
        ),
        end,
    )
