"""Additional handlers of a node's containerd, each with one fault: a Pod selects one by a RuntimeClass, and
no other Pod is affected.

Every node has them in its configuration, so no fault needs a restart of the runtime.
"""

import json
from collections.abc import Mapping

from unstuck_lab.paths import INNER_KUBECONFIG

# The bridge of one of the networks.
BRIDGE, BRIDGE_RANGE = "lab-br1", "10.224.0.0/24"
_RUNTIMES = 'plugins."io.containerd.grpc.v1.cri".containerd.runtimes'

# Handler to its network plugin, instead of the node's own; each has its own directory.
NETWORKS: Mapping[str, dict[str, object]] = {
    # A leftover of an earlier installation: the bridge exists, with another range.
    "bridge": {
        "type": "bridge",
        "bridge": BRIDGE,
        "isGateway": True,
        "ipam": {"type": "host-local", "subnet": BRIDGE_RANGE},
    },
    # The addresses come from a daemon of the node that was not started.
    "by-daemon": {"type": "ptp", "ipam": {"type": "dhcp"}},
    # Addresses without a route out.
    "no-route": {"type": "ptp", "ipam": {"type": "host-local", "subnet": "10.225.0.0/24"}},
    # A plugin that asks the API server first, at its Service (see csidriver/cni.go).
    "asks-first": {
        "type": "labnet",
        "kubeconfig": f"/etc/{INNER_KUBECONFIG}",
        "server": "https://10.96.0.1:443",
    },
}

# Handler to the program called instead of runc.
PROGRAMS: Mapping[str, str] = {
    # Made for another runc: ours does not know the option.
    "other-runc": """\
for word; do
    shift
    set -- "$@" "$word"
    if [ "$word" = create ]; then set -- "$@" --no-subreaper; fi
done
""",
    # Gives containers more open files than the kernel allows (`fs.nr_open`).
    "high-limits": """\
for word; do
    if [ "$last" = --bundle ]; then bundle=$word; fi
    last=$word
done
limit='{"type":"RLIMIT_NOFILE","hard":2147483648,"soft":2147483648}'
if [ -n "$bundle" ]; then sed -i 's/"process":{/&"rlimits":['"$limit"'],/' "$bundle/config.json"; fi
""",
}


def format_containerd_config() -> str:
    """Return the handlers' section of the node's containerd configuration, version 2."""
    lines = [
        f"[{_RUNTIMES}.runc]",
        '  runtime_type = "io.containerd.runc.v2"',
        *_format_handler("by-systemd", options="SystemdCgroup = true"),
    ]
    for name in PROGRAMS:
        lines += _format_handler(name, options=f'BinaryName = "/etc/{locate_program(name)}"')
    for name in NETWORKS:
        lines += _format_handler(name, f'cni_conf_dir = "{_locate_directory(name)}"')
    return "\n".join(lines) + "\n"


def list_etc_files() -> Mapping[str, str]:
    """Return the handlers' files: path below /etc to content."""
    networks = {
        f"{_locate_directory(name)[5:]}/10-{name}.conflist": json.dumps(
            {"cniVersion": "0.4.0", "name": name, "plugins": [plugin]}, indent=1
        )
        + "\n"
        for name, plugin in NETWORKS.items()
    }
    return networks | {
        locate_program(name): f'#!/bin/sh\n{script}exec runc "$@"\n' for name, script in PROGRAMS.items()
    }


def locate_program(handler: str) -> str:
    """Return the path below /etc of the program of one of `PROGRAMS`; it must be made executable."""
    return f"containerd/{handler}"


def make_runtime_class(handler: str, name: str) -> dict[str, object]:
    """Return the RuntimeClass by which Pods select the handler."""
    return {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": name},
        "handler": handler,
    }


def _locate_directory(network: str) -> str:
    return f"/etc/cni/{network}.d"


def _format_handler(name: str, *lines: str, options: str = "") -> list[str]:
    table = f"{_RUNTIMES}.{name}"
    more = [f"[{table}.options]", f"  {options}"] if options else []
    return [f"[{table}]", '  runtime_type = "io.containerd.runc.v2"', *(f"  {line}" for line in lines), *more]
