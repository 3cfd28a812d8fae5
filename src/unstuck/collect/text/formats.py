"""Every format of text, in the order in which they are tried at a line that none has claimed: the one with the narrower beginning first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unstuck.collect.text.cutting import message
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.kubectl import (
    describe,
    describe_conditions,
    describe_namespace,
    describe_part,
    drain,
    events,
    server,
    tables,
    versions,
)
from unstuck.collect.text.logs import container_log, goroutines, journal_marks, journald, node_log, pod_logs
from unstuck.collect.text.node import (
    cgroup_find,
    cni_directories,
    crictl,
    disk,
    dmesg,
    docker_info,
    docker_ps,
    inotify,
    inspected,
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
from unstuck.collect.text.objects import fragment, fragment_json, json_yaml


@dataclass(frozen=True, slots=True)
class Format:
    """One format. find: the index after the run of lines that begins at this index, None where it is not this format's. read: that run."""

    name: str
    find: Callable[[Sequence[str], int, TypedCommand | None], int | None]
    read: Callable[[Piece], Reading]


FORMATS: tuple[Format, ...] = (
    Format("pod-logs", pod_logs.find, pod_logs.read),
    Format("container-log", container_log.find, container_log.read),
    Format("journal", journald.find, journald.read),
    Format("journal-marks", journal_marks.find, journal_marks.read),
    Format("inspect", inspected.find, inspected.read),
    Format("json-yaml", json_yaml.find, json_yaml.read),
    Format("server", server.find, server.read),
    Format("versions", versions.find, versions.read),
    Format("describe", describe.find, describe.read),
    Format("describe-namespace", describe_namespace.find, describe_namespace.read),
    Format("fragment", fragment.find, fragment.read),
    Format("fragment-json", fragment_json.find, fragment_json.read),
    Format("docker-info", docker_info.find, docker_info.read),
    Format("describe-part", describe_part.find, describe_part.read),
    Format("describe-conditions", describe_conditions.find, describe_conditions.read),
    Format("events", events.find, events.read),
    Format("table", tables.find, tables.read),
    Format("dmesg", dmesg.find, dmesg.read),
    Format("goroutines", goroutines.find, goroutines.read),
    Format("unit-status", unit_status.find, unit_status.read),
    Format("log", node_log.find, node_log.read),
    Format("lsattr", lsattr.find, lsattr.read),
    Format("mountinfo", mountinfo_grep.find, mountinfo_grep.read),
    Format("mount", mounts.find, mounts.read),
    Format("df", disk.find, disk.read),
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
    Format("drain", drain.find, drain.read),
    Format("message", message.find, message.read),
)
