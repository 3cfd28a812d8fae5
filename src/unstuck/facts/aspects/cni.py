"""The network plugins of a node, called by the runtime to set up and tear down a sandbox's network."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact, Proc
from unstuck.facts.record import Record, record


@record()
class NetworkConfig(Record):
    """One file of the configuration directory. plugins: the `type` of each plugin in it, in order; none if it
    cannot be parsed.

    written: the time of its last change or move; None if unknown (a copy has its own times).
    """

    path: str
    plugins: tuple[str, ...]
    written: datetime | None = None


@record()
class PluginCall(Record):
    """A running plugin process. command: `ADD`, `DEL`, "" if its call could not be read. pod: the uid of the
    call's Pod.
    """

    proc: Proc
    command: str = ""
    pod: str | None = None


@record(kw_only=True)
class NetworkPlugins(NodeFact):
    """The node's current CNI setup. about: the Node.

    configs: in a runtime's order of preference (the first one counts). missing: plugins of the first
    configuration without a program in any directory. present: plugins with a known program, set if not all
    directories could be read. usable: the paths of configurations with all programs known, including the
    loopback plugin. running: running plugin processes; normally they live for milliseconds. Whole if the
    configuration directory and a directory of programs could be listed. Sources: the CNI specification 1.0;
    containerd docs/cri/config.md (`conf_dir`, `bin_dir`); crio.conf(5) (`network_dir`, `plugin_dirs`).
    """

    configs: tuple[NetworkConfig, ...]
    conf_dir: str
    bin_dirs: tuple[str, ...]
    missing: tuple[str, ...] = ()
    running: tuple[PluginCall, ...] = ()
    present: tuple[str, ...] = ()
    usable: tuple[str, ...] = ()
    ask: ClassVar[str] = (
        "date +%FT%T%:z; ls -lc --time-style=full-iso /etc/cni/net.d /opt/cni/bin /usr/lib/cni; "
        """grep -soH '"type": *"[^"]*"' /etc/cni/net.d/*; ps -ef | grep /cni/"""
    )
