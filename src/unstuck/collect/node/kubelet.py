"""The kubelet of this node: its process, and the paths in its arguments and configuration.

Source: cmd/kubelet/app/options (flags), pkg/kubelet/apis/config/v1beta1/defaults.go (defaults),
kubelet.config.k8s.io/v1beta1.
"""

from __future__ import annotations

import json
import re
from dataclasses import field
from functools import cached_property
from typing import Literal

from unstuck.collect.node.mounts import Mounts, MountTable, is_remote, mount_of
from unstuck.collect.node.proc import Process, ProcessTable
from unstuck.collect.node.root import Root
from unstuck.facts.aspects.host import DaemonState, Proc
from unstuck.facts.core import Ref, Source
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

ROOT_DIR = "/var/lib/kubelet"
_MAX_LINKS = 20
_MAX_DROP_INS = 50
_PROCESSES = "Max processes "
# Programs that are, or hold, a kubelet; only their command lines are read.
_PROGRAMS = regex(r"^(?:kubelet|kubelab|hyperkube|kubelite|k3s|rke2|k0s)")
_SETTING = regex(r"^(\w+):[ \t]*([^#\s][^#\n]*?)?[ \t]*(?:#.*)?$", re.MULTILINE)
_Daemon = Literal["kubelet", "containerd", "dockerd", "crio"]
_RUNTIMES: dict[_Daemon, tuple[str, ...]] = {
    "containerd": ("containerd", "docker-containe"),
    "dockerd": ("dockerd", "dockerd-current"),
    "crio": ("crio", "cri-o"),
}


@record()
class KubeletSettings(Record):
    """A kubelet's settings. flags: by name without dashes. config: the plain top-level values of its
    configuration file.
    """

    flags: dict[str, str] = field(default_factory=dict)
    config: dict[str, str] = field(default_factory=dict)

    def get(self, flag: str, key: str, default: str) -> str:
        """Return the flag if given, else the file's value, else the default."""
        return self.flags.get(flag) or self.config.get(key) or default


def parse_flags(arguments: tuple[str, ...]) -> dict[str, str]:
    """Return `--name=value`, `--name value`, `-name=value`; the last one wins, as in Go's pflag. A flag
    alone has the value "true".
    """
    out: dict[str, str] = {}
    name = None
    for argument in arguments:
        if argument.startswith("-"):
            name, given, value = argument.lstrip("-").partition("=")
            out[name] = value if given else "true"
            name = None if given else name
        elif name:
            out[name] = argument
            name = None
    return out


def parse_config(text: str) -> dict[str, str]:
    """Return Top-level plain values of a KubeletConfiguration in JSON or block YAML; lists and maps are
    left out.
    """
    try:
        doc = json.loads(text)
    except (ValueError, RecursionError):
        return {k: v.strip("\"'") for k, v in _SETTING.findall(text) if v and v[0] not in "[{|>&*"}
    return (
        {str(k): str(v) for k, v in doc.items() if isinstance(v, str | int)} if isinstance(doc, dict) else {}
    )


def is_kubelet(comm: str, arguments: tuple[str, ...]) -> bool:
    """Return `kubelet …`, or a program of several that was started as one (`hyperkube kubelet`), or one
    that holds it (`k3s agent`).
    """
    if not arguments:
        return comm == "kubelet"
    program = arguments[0].rpartition("/")[2]
    if program in ("kubelet", "kubelite"):
        return True
    if program.startswith(("k3s", "rke2")):
        return comm in ("k3s-server", "k3s-agent") or arguments[1:2] in (("server",), ("agent",))
    return _PROGRAMS.match(program) is not None and "kubelet" in arguments[1:3]


class Kubelet:
    """The kubelet that the node's root belongs to.

    process: None if no kubelet runs; if several run (nodes that are containers of this machine), the kubelet
    in our own mount namespace, or None if ambiguous.
    """

    def __init__(self, root: Root, table: ProcessTable, root_dir: str | None = None) -> None:
        self.root = root
        self.table = table
        self._root_dir = root_dir

    @cached_property
    def _processes(self) -> list[Process]:
        likely = [p for p in self.table.user if _PROGRAMS.match(p.stat.comm) and p.stat.state != "Z"]
        return [p for p in likely if is_kubelet(p.stat.comm, self.table.arguments(p.pid))]

    @cached_property
    def process(self) -> Process | None:
        """The kubelet's process."""
        here = self.table.namespace_of_root
        same = [p for p in self._processes if here and self.table.namespace(p.pid, "mnt")[0] == here]
        if same:
            return same[0]
        return self._processes[0] if len(self._processes) == 1 else None

    @cached_property
    def files(self) -> Root:
        """The root of its paths: its own if it lives in another mount namespace than the node's root."""
        if self.process is not None and self.root.live:
            here, its = self.table.namespace_of_root, self.table.namespace(self.process.pid, "mnt")[0]
            if here and its and here != its:
                return Root(self.root.real(f"/proc/{self.process.pid}/root", follow=False))
        return self.root

    @cached_property
    def settings(self) -> KubeletSettings:
        """Empty if no kubelet runs."""
        if self.process is None:
            return KubeletSettings()
        config: dict[str, str] = {}
        for text in self._config_texts[0]:
            config.update(parse_config(text))
        return KubeletSettings(self._flags, config)

    @cached_property
    def _flags(self) -> dict[str, str]:
        return parse_flags(self.table.arguments(self.process.pid)[1:]) if self.process else {}

    @cached_property
    def _config_texts(self) -> tuple[tuple[str, ...], bool]:
        """Its configuration file and the drop-ins that override it, in their order; and whether all of
        them could be read.
        """
        path, directory = self._flags.get("config", ""), self._flags.get("config-dir", "").rstrip("/")
        paths = [path] if path.startswith("/") else []
        names = self.files.names(directory) if directory.startswith("/") else ()
        paths += [f"{directory}/{n}" for n in names or () if n.endswith(".conf")][:_MAX_DROP_INS]
        texts = [self.files.text(p, 1 << 20) for p in paths]
        return tuple(t for t in texts if t is not None), names is not None and None not in texts

    @property
    def config_texts(self) -> tuple[str, ...]:
        """Its configuration files, the later overriding."""
        return self._config_texts[0]

    @property
    def config_complete(self) -> bool:
        """Whether every configuration file that it names could be read."""
        return self._config_texts[1]

    @property
    def configured_root_dir(self) -> str:
        """The configured directory for Pods."""
        return (self._root_dir or self.settings.flags.get("root-dir") or ROOT_DIR).rstrip("/")

    @cached_property
    def root_dir(self) -> str:
        """The same with links resolved, as in the mount table; without a slash at its end."""
        return self._resolve(self.configured_root_dir).rstrip("/")

    def _resolve(self, path: str) -> str:
        """Resolve the links on the path without touching anything else; a path with too many links stays
        unchanged.
        """
        done, todo, links = "", path.strip("/").split("/"), 0
        mounts = (
            MountTable(self.root, self.table).of_process(self.process.pid) if self.process else None
        ) or Mounts()
        while todo:
            part = todo.pop(0)
            if part in ("", "."):
                continue
            if part == "..":
                done = done.rpartition("/")[0]
                continue
            on = mount_of(f"{done}/{part}", mounts)
            if on is not None and is_remote(on.fstype):
                # Looking further might never end.
                return "/".join([done, part, *todo])
            target = self.files.link(f"{done}/{part}")[0]
            if not target:
                done = f"{done}/{part}"
                continue
            links += 1
            if links > _MAX_LINKS:
                return path
            todo = target.split("/") + todo
            done = "" if target.startswith("/") else done
        return done or "/"

    @property
    def sure(self) -> bool:
        """Whether its directories are known and not only supposed."""
        return self.process is not None or self._root_dir is not None

    @property
    def pod_logs(self) -> str:
        """Where containers' logs are, `NS_NAME_UID` each."""
        return self.settings.config.get("podLogsDir", "/var/log/pods").rstrip("/")

    @property
    def verbosity(self) -> int | None:
        """The -v of klog; None if no kubelet runs."""
        value = self.settings.flags.get("v", "0") if self.process else ""
        return int(value) if value.isascii() and value.isdigit() and len(value) < 4 else None

    @cached_property
    def node_name(self) -> str | None:
        """By which name it knows itself: --hostname-override, else the lower-case host name."""
        name = self.settings.flags.get("hostname-override", "")
        for path in ("/proc/sys/kernel/hostname", "/etc/hostname"):
            name = name or (self.root.text(path, 1024) or "").strip()
        return name.strip().lower() or None

    @property
    def healthz(self) -> tuple[str, int] | None:
        """Address and port of its /healthz, None if it is turned off or no number."""
        port = self.settings.get("healthz-port", "healthzPort", "10248")
        address = self.settings.get("healthz-bind-address", "healthzBindAddress", "127.0.0.1")
        good = port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536
        return (dial_address(address), int(port)) if good else None


def dial_address(address: str) -> str:
    """Return the address by which this machine reaches a server that listens on `address`."""
    return "127.0.0.1" if address in ("", "0.0.0.0", "::") else address


def daemon_states(kubelet: Kubelet, about: Ref, node: str, answers: bool | None) -> list[DaemonState]:
    """Return the kubelet and the runtimes that run, and the runtime that the kubelet talks to if it does
    not.
    """
    table = kubelet.table
    out = [_state("kubelet", kubelet.process, table, about, node, answers)]
    endpoint = kubelet.settings.get("container-runtime-endpoint", "containerRuntimeEndpoint", "")
    for daemon, names in _RUNTIMES.items():
        here = table.namespace_of_root
        running = [
            p for p in table.user if p.stat.comm in names and p.stat.state != "Z" and p.groups.pod is None
        ]
        own = [p for p in running if not here or table.namespace(p.pid, "mnt")[0] in (here, "")] or running
        if own or daemon.rstrip("d") in endpoint.rpartition("/")[2]:
            out.append(_state(daemon, own[0] if own else None, table, about, node, None))
    return out


def _state(
    daemon: _Daemon, process: Process | None, table: ProcessTable, about: Ref, node: str, answers: bool | None
) -> DaemonState:
    proc: Proc | None = table.as_fact(process) if process else None
    quote = f"{daemon} pid {proc.pid} state {proc.state}" if proc else f"no process {daemon}"
    return DaemonState(
        about=about,
        src=Source(f"{node} /proc/{proc.pid}/stat" if proc else f"{node} /proc/*/comm", quote),
        daemon=daemon,
        running=process is not None,
        proc=proc,
        stopped=proc is not None and proc.state in ("T", "t"),
        answers=answers,
        processes_max=_read_process_limit(table, proc),
    )


def _read_process_limit(table: ProcessTable, proc: Proc | None) -> int | None:
    """Return the soft limit of processes for a process' user: proc(5), `/proc/PID/limits`."""
    text = (table.root.brief(f"/proc/{proc.pid}/limits") or "") if proc else ""
    line = next((one for one in text.splitlines() if one.startswith(_PROCESSES)), "")
    word = (line.removeprefix(_PROCESSES).split() or [""])[0]
    return int(word) if word.isascii() and word.isdigit() and len(word) < 20 else None
