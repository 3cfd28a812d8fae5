"""The network plugins of a node, which the runtime calls to set up and tear down a sandbox's network."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact, Proc
from unstuck.facts.record import Record, record


@record()
class NetworkConfig(Record):
    """One file of the configuration directory. plugins: the `type` of each plugin in it, in order; none if it
    cannot be parsed.

    written: when it was last written or moved there; None if unknown (a copy's times are its own).
    """

    path: str
    plugins: tuple[str, ...]
    written: datetime | None = None


@record()
class PluginCall(Record):
    """A plugin's process that has not ended. command: `ADD`, `DEL`, "" if its call could not be read. pod:
    the uid it is called for.
    """

    proc: Proc
    command: str = ""
    pod: str | None = None


@record(kw_only=True)
class NetworkPlugins(NodeFact):
    """CNI as the node has it now. about: the Node.

    configs: in the order in which a runtime picks them (the first one counts). missing: plugins named in the
    first one whose program is in none of the directories. present: plugins whose program was seen, set if not
    all could be looked at. usable: the paths of configurations all of whose programs were seen, the one of
    the loopback interface too. running: processes of plugins that have not ended; normally they live for
    milliseconds. Whole if the configuration directory and a directory of programs could be listed. Sources:
    the CNI specification 1.0; containerd docs/cri/config.md (`conf_dir`, `bin_dir`); crio.conf(5)
    (`network_dir`, `plugin_dirs`).
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
