"""The few host sysctls changed by a lab; the last lab restores them at its end.

A kubelet changes some itself (`setupKernelTunables` in pkg/kubelet/cm/container_manager_linux.go). The lab
raises the number of inotify instances per user: a few nodes, or one beside a desktop, use up the usual 128,
and without one a kubelet or kube-proxy exits with "too many open files".

The original values are recorded once per host, not per lab: a second lab finds already changed values.
"""

import json
import os
from contextlib import suppress
from pathlib import Path

from unstuck_lab.box import has_running_box

INOTIFY = "fs/inotify/max_user_instances"
INOTIFY_NEEDED = 1024

CHANGED = (
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
    INOTIFY,
)

SETTINGS = Path("/proc/sys")
# Below /run, which a reboot empties together with resetting the settings.
RECORD = Path("/run/unstuck-lab-sysctls.json")


def prepare(settings: Path = SETTINGS, record: Path = RECORD) -> None:
    """Record the values before the first kubelet on this host changes them, and make room for the lab's
    watches.
    """
    if not record.exists():
        found = {
            name: (settings / name).read_text().strip() for name in CHANGED if (settings / name).exists()
        }
        part = record.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(found))
        with suppress(FileExistsError):  # another lab started at the same time
            os.link(part, record)
        part.unlink()
    inotify = settings / INOTIFY
    if inotify.exists() and int(inotify.read_text()) < INOTIFY_NEEDED:
        with suppress(OSError):  # a container's /proc/sys may be read-only, and its value may suffice
            inotify.write_text(f"{INOTIFY_NEEDED}\n")


def restore(settings: Path = SETTINGS, record: Path = RECORD, others: bool | None = None) -> None:
    """Restore the values, unless another lab still runs: then the last one does."""
    if has_running_box() if others is None else others:
        return
    try:
        were = json.loads(record.read_text())
    except FileNotFoundError:  # there was no lab, or another one ended at the same time and has restored them
        return
    for name, value in were.items():
        file = settings / name
        if file.read_text().strip() != value:
            file.write_text(value)
    record.unlink(missing_ok=True)
