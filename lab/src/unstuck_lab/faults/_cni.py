"""A node's network plugins, temporarily replaced by a mount local to this node, or without their
configuration. No fault by itself.
"""

import json

from unstuck_lab import nodeconf
from unstuck_lab.node import Node

BIN_DIR = "/usr/lib/cni"
CONFIGURATION = "/etc/cni/net.d/10-lab.conflist"
# In the node's own tmpfs.
_COPY = "/run/unstuck-lab-cni"
# A waiting shell, so that the process has the plugin's name.
_HUNG = "#!/bin/sh\nsleep 600\n"


def hide(node: Node, plugin: str = "ptp") -> None:
    """Hide one plugin's program, by mounting a copy of the directory without it."""
    others = " ".join(f"{BIN_DIR}/{name}" for name in ("loopback", "host-local", "ptp") if name != plugin)
    node.check(["sh", "-c", f"mkdir -p {_COPY} && cp {others} {_COPY} && mount --bind {_COPY} {BIN_DIR}"])


def hang(node: Node, plugin: str = "ptp") -> None:
    """Make one plugin hang for up to ten minutes, by mounting a script over its program."""
    script = f'mkdir -p {_COPY} && printf %s "$1" > {_COPY}/{plugin} && chmod 755 {_COPY}/{plugin}'
    node.check(["sh", "-c", f"{script} && mount --bind {_COPY}/{plugin} {BIN_DIR}/{plugin}", "sh", _HUNG])


def restore(node: Node) -> None:
    """Restore the plugins, and end the hanging calls."""
    if not node.running:
        return
    # Lazily, because a hanging call still has the script open. The calls are ended afterwards, so that none
    # starts again.
    for mounted in (f"{BIN_DIR}/ptp", BIN_DIR):
        node.run(["umount", "-l", mounted])
    for pid in node.run(["pgrep", "-f", f"^(/bin/sh {BIN_DIR}/|sleep 600$)"]).stdout.split():
        node.run(["kill", "-9", pid])
    node.run(["rm", "-rf", _COPY])


def remove_configuration(node: Node) -> None:
    """Remove every network's configuration."""
    node.check(["rm", CONFIGURATION])


def write_configuration(node: Node) -> None:
    """Write the original configuration again: containerd 1.6 does not notice a file that is moved back."""
    if node.running:
        node.check(
            ["sh", "-c", f"cat > {CONFIGURATION}"],
            stdin=json.dumps(nodeconf.make_cni_config(node.name), indent=1) + "\n",
        )
