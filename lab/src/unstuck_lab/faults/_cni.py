"""A node's network plugins replaced for a while, by a mount over their directory that only this node sees, or
their configuration removed. No fault by itself.
"""

import json

from unstuck_lab import nodeconf
from unstuck_lab.node import Node

BIN_DIR = "/usr/lib/cni"
CONFIGURATION = "/etc/cni/net.d/10-lab.conflist"
# In the node's own tmpfs.
_COPY = "/run/unstuck-lab-cni"
# A shell that waits, so the process bears the plugin's name.
_HUNG = "#!/bin/sh\nsleep 600\n"


def hide(node: Node, plugin: str = "ptp") -> None:
    """Hide one plugin's program: the directory becomes a copy without it."""
    others = " ".join(f"{BIN_DIR}/{name}" for name in ("loopback", "host-local", "ptp") if name != plugin)
    node.check(["sh", "-c", f"mkdir -p {_COPY} && cp {others} {_COPY} && mount --bind {_COPY} {BIN_DIR}"])


def hang(node: Node, plugin: str = "ptp") -> None:
    """Let one plugin hang, for at most ten minutes: a script is mounted over its program."""
    script = f'mkdir -p {_COPY} && printf %s "$1" > {_COPY}/{plugin} && chmod 755 {_COPY}/{plugin}'
    node.check(["sh", "-c", f"{script} && mount --bind {_COPY}/{plugin} {BIN_DIR}/{plugin}", "sh", _HUNG])


def restore(node: Node) -> None:
    """Restore the plugins as they were; calls that hang end."""
    if not node.running:
        return
    # Lazily: a call that hangs still has the script open. The calls end after it, so that none begins again.
    for mounted in (f"{BIN_DIR}/ptp", BIN_DIR):
        node.run(["umount", "-l", mounted])
    for pid in node.run(["pgrep", "-f", f"^(/bin/sh {BIN_DIR}/|sleep 600$)"]).stdout.split():
        node.run(["kill", "-9", pid])
    node.run(["rm", "-rf", _COPY])


def remove_configuration(node: Node) -> None:
    """Remove every network's configuration."""
    node.check(["rm", CONFIGURATION])


def write_configuration(node: Node) -> None:
    """Rewrite the configuration as it was: containerd 1.6 does not notice one that is moved back."""
    if node.running:
        node.check(
            ["sh", "-c", f"cat > {CONFIGURATION}"],
            stdin=json.dumps(nodeconf.make_cni_config(node.name), indent=1) + "\n",
        )
