"""Finds the server of a network or FUSE file system, by the mount table and by the processes that hold the
FUSE device.

Sources: nfs(5), mount.ceph(8), mount.cifs(8) for the form of a mount source; fs/fuse/dev.c (`fuse_connection`
in fdinfo of newer kernels).
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from unstuck.collect.node.mounts import is_fuse
from unstuck.collect.node.proc import Process, ProcessTable
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.regex import regex

# How a mount behaves while its server is silent, and how it speaks; no other option is kept: some hold names,
# keys and paths.
_OPTIONS = """
rw ro hard soft softerr intr nointr bg fg sync async noac ac lock nolock nocto resvport noresvport softreval
retry timeo retrans proto vers minorversion port mountproto mountvers mountport sec nconnect max_connect
local_lock lookupcache actimeo acregmin acregmax acdirmin acdirmax rsize wsize cache echo_interval
nohandlecache persistenthandles handletimeout max_read allow_other default_permissions trans msize
mount_timeout osd_request_timeout recover_session
"""
_TELLING = frozenset(_OPTIONS.split())
_SERVER = regex(r"^(?://([^/\\]{1,253})[/\\]|(\[[0-9A-Fa-f:.%]{2,64}\]|[^:/@=\s]{1,253}):/)")
_PLAIN_HOST = regex(r"^[A-Za-z0-9.,:_%\[\]-]{1,512}$")
_SECONDS = 1.0


def options_of(entry: MountEntry) -> str:
    """Return the options that determine its behaviour, each once, in their order."""
    options = dict.fromkeys(o for o in entry.options.split(",") if o.partition("=")[0] in _TELLING)
    return ",".join(options)


def server_of(entry: MountEntry) -> str:
    """Return `10.0.3.7` of `10.0.3.7:/logs`, `nas` of `//nas/share`; else the address among the options; ""
    for none.
    """
    found = _SERVER.match(entry.source)
    host = (found[1] or found[2]) if found else ""
    for option in entry.options.split(","):
        key, _, value = option.partition("=")
        if not host and key in ("addr", "mon_addr"):
            host = value
    return host if _PLAIN_HOST.match(host) else ""


def fuse_daemons(
    table: ProcessTable, seconds: float = _SECONDS
) -> tuple[Mapping[int, tuple[Process, ...]], bool]:
    """Return processes by the number of the FUSE connection that they hold, none on older kernels.

    And whether all processes were looked at in time.
    """
    end = time.monotonic() + seconds
    out: dict[int, tuple[Process, ...]] = {}
    for process in table.user:
        if time.monotonic() > end:
            return out, False
        for fd in table.root.names(f"/proc/{process.pid}/fd") or ():
            if table.root.link(f"/proc/{process.pid}/fd/{fd}")[0] == "/dev/fuse":
                info = dict(
                    line.partition(":")[::2]
                    for line in (table.root.brief(f"/proc/{process.pid}/fdinfo/{fd}") or "").splitlines()
                )
                number = info.get("fuse_connection", "").strip()
                if number.isascii() and number.isdigit() and process not in out.get(int(number[:18]), ()):
                    out[int(number[:18])] = (*out.get(int(number[:18]), ()), process)
    return out, True


def has_daemon(entry: MountEntry) -> bool:
    """Tell whether the file system may be served by a process of this machine."""
    return is_fuse(entry.fstype) and entry.fstype != "virtiofs"
