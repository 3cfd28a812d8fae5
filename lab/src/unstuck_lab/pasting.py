"""Writes a person's likely paste about a fault: kubectl's output about the subject, and the output of
commands run on its node.
"""

import shlex
from datetime import datetime
from typing import Any

from unstuck_lab import shell
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import ApiError
from unstuck_lab.node import Node

COLUMN, GAP = (
    6,
    3,
)  # the minimum width of a column and the gap after it (k8s.io/cli-runtime/pkg/printers/tabwriter.go)
PODS = "/var/lib/kubelet/pods"
# Opening a path below these may never return.
HANGING = r" - (fuse|nfs|ceph|cifs)"
# Only newer log lines are used: before, the node had another fault. Both logs are in UTC.
KLOG_SINCE = """awk -v since='{:%m%d %H:%M:%S}' '/^[EW]/ && substr($0, 2, 13) >= since'"""
LOGFMT_SINCE = """awk -v since='{:%Y-%m-%dT%H:%M:%S}' 'substr($0, 7, 19) >= since'"""
# The inotify instances of each process.
INOTIFY = (
    "find /proc/[0-9]*/fd -lname 'anon_inode:*inotify*' 2>/dev/null | cut -d/ -f3 | sort | uniq -c | "
    "while read n pid; do echo $n $(ps -o uid=,comm= -p $pid); done; sysctl fs.inotify"
)
NETWORK = (
    "date +%FT%T%:z; ls -lc --time-style=full-iso /etc/cni/net.d /opt/cni/bin /usr/lib/cni; "
    """grep -soH '"type": *"[^"]*"' /etc/cni/net.d/*"""
)
WRITTEN = "/ /var/lib/kubelet /var/lib/containerd /var/log"
# The process names of kubelets and runtimes.
DAEMONS = "kubelet,kubelite,hyperkube,k3s-server,k3s-agent,containerd,dockerd,crio"
TIMEOUT = 20  # seconds for all of a node's commands
AS_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def paste_description(lab: Lab, subject: str, namespace: str | None) -> str:
    """Return the subject's description and the Events of its Namespace below their prompts, or the printed
    error.

    Raises `LabError` if kubectl cannot be started or ended.
    """
    kind, _, name = subject.partition("/")
    place = ("-n", namespace) if namespace else ()
    of = name if kind == "ns" else namespace or "default"
    told = shell.attempt([*lab.kubectl_command, "describe", kind, name, *place])
    try:
        events = format_table(lab.request("GET", f"/api/v1/namespaces/{of}/events", accept=AS_TABLE))
    except ApiError as error:
        said = error.what.partition(": ")[2]
        events = f"Error from server ({error.reason}): {said}\n"
    asked = (
        _write_prompt(None, "kubectl", "describe", kind, name, *place),
        _write_prompt(None, "kubectl", "get", "events", "-n", of),
    )
    return f"{asked[0]}\n{told.stdout}{told.stderr}\n{asked[1]}\n{events}"


def format_table(found: dict[str, Any]) -> str:
    """Format the server's table like `kubectl get`. found: a Table of meta.k8s.io/v1."""
    at = [n for n, column in enumerate(found["columnDefinitions"]) if not column.get("priority")]
    rows = [[str(found["columnDefinitions"][n]["name"]).upper() for n in at]]
    rows += [[_format_cell(str(row["cells"][n])) for n in at] for row in found.get("rows") or []]
    if len(rows) == 1:
        return "No resources found.\n"
    widths = [max(COLUMN, *(len(row[n]) + GAP for row in rows)) for n in range(len(at) - 1)]
    return "".join(
        "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)) + row[-1] + "\n"
        for row in rows
    )


def _format_cell(text: str) -> str:
    """Cut the cell at the end of its first line (printRows in tableprinter.go)."""
    first, more, _ = text.partition("\n")
    return f"{first}..." if more else first


def paste_node_output(node: Node, pod: dict[str, Any] | None, since: datetime) -> str:
    """Return the output of a person's usual commands on a node, about one Pod or about the node itself. They
    touch no path that may hang.

    since: the start of the fault, in UTC; the node's logs are read from then on. Raises `LabError` if a
    command had to be ended.
    """
    commands = _list_pod_commands(pod) if pod else _list_node_commands(since)
    one = "printf '%s\\n' {}\n{}timeout 5 sh -c {} 2>&1\n"
    script = "".join(
        one.format(shlex.quote(_write_prompt(node, told)), when, shlex.quote(run))
        for told, run, when in commands
    )
    return node.run(["sh", "-c", script], timeout=TIMEOUT).stdout


def _list_pod_commands(pod: dict[str, Any]) -> list[tuple[str, str, str]]:
    """List (the command as shown, the command to run, condition)."""
    uid, name = pod["metadata"]["uid"], pod["metadata"]["name"]
    lines = f"grep -E '^[EW].*({uid}|{name})' | tail -n 40"
    calm = f"grep {uid} /proc/self/mountinfo | grep -qE '{HANGING}' || "
    return [
        (f"grep {uid} /proc/$(pgrep -o kubelet)/mountinfo", f"grep {uid} /proc/self/mountinfo", ""),
        (f"lsattr -aR {PODS}/{uid}/volumes", f"lsattr -aR {PODS}/{uid}/volumes", calm),
        (f"lsof +D {PODS}/{uid}/volumes", f"lsof +D {PODS}/{uid}/volumes", calm),
        (*_show_as_run(f"ps -eo pid,stat,wchan:32,comm,cgroup | grep {uid}"), ""),
        (*_show_as_run(f"find /sys/fs/cgroup -type d -name '*{uid}*'"), ""),
        (*_show_as_run(f"dmesg -T | grep {uid} | tail -n 20"), ""),
        (*_show_as_run(f"df -P {WRITTEN}"), ""),
        (*_show_as_run(f"tail -v -n 20 /var/log/pods/*{uid}/*/*.log"), ""),
        (f"journalctl -u kubelet -o cat | {lines}", f"cat /var/log/kubelet.log | {lines}", ""),
    ]


def _list_node_commands(since: datetime) -> list[tuple[str, str, str]]:
    journal, klog, logfmt = (
        f"--since '{since:%Y-%m-%d %H:%M:%S}' -o cat",
        KLOG_SINCE.format(since),
        LOGFMT_SINCE.format(since),
    )
    return [
        (*_show_as_run(f"ps -ww -C {DAEMONS} -o pid,stat,lstart,args"), ""),
        (*_show_as_run(f"df -P {WRITTEN}"), ""),
        (*_show_as_run(f"for d in {WRITTEN}; do findmnt -nT $d; done"), ""),
        (*_show_as_run(NETWORK), ""),
        (*_show_as_run(INOTIFY), ""),
        (
            f"journalctl -u kubelet {journal} | grep '^[EW]' | tail -n 80",
            f"{klog} /var/log/kubelet.log | tail -n 80",
            "",
        ),
        (
            f"journalctl -u containerd {journal} | tail -n 40",
            f"{logfmt} /var/log/containerd.log | tail -n 40",
            "",
        ),
    ]


def _show_as_run(command: str) -> tuple[str, str]:
    return command, command


def _write_prompt(node: Node | None, *words: str) -> str:
    return f"{f'[root@{node.name} ~]#' if node else '$'} {' '.join(words)}"
