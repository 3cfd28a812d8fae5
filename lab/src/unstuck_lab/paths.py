"""The lab's paths. All its files on the host are below these."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path

from unstuck_lab.releases import USUAL as USUAL_RELEASE
from unstuck_lab.releases import KubernetesRelease, choose_release

# The lab's own network. It exists only inside the lab's network namespaces, so
# it cannot collide with a network of the host.
CONTROL_ADDRESS = "10.222.0.1"
API_PORT = 6443
SERVICE_RANGE = "10.96.0.0/16"
SERVICE_API_ADDRESS = "10.96.0.1"
SERVICE_DNS_ADDRESS = "10.96.0.10"
POD_RANGE = "10.223.0.0/16"
NODE_NAMES = ("lab-1", "lab-2", "lab-3")


def format_node_address(name: str) -> str:
    """Return the address of node `lab-N` in the lab's network."""
    return f"10.222.0.1{int(name.removeprefix('lab-'))}"


def format_pod_range(name: str) -> str:
    """Return the range of Pod addresses of node `lab-N`."""
    return f"10.223.{int(name.removeprefix('lab-'))}.0/24"


def read_architecture() -> str:
    """Return the host's architecture, under its name in Go and OCI images."""
    machine = platform.machine()
    return {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)


# The administrator's kubeconfig on every node, below its /etc, where kubeadm leaves one too.
INNER_KUBECONFIG = "kubernetes/admin.conf"


USUAL = "/var/lib/unstuck-lab"


@dataclass(frozen=True)
class Paths:
    """The state directory (one running lab), the cache (survives `down`), and the release of Kubernetes."""

    state: Path
    cache: Path
    release: KubernetesRelease = USUAL_RELEASE

    @classmethod
    def from_environment(cls) -> "Paths":
        """Return the paths of `UNSTUCK_LAB_DIR`, `UNSTUCK_LAB_CACHE` and `UNSTUCK_LAB_KUBERNETES`, or the
        defaults. Raises `LabError`.
        """
        state = os.environ.get("UNSTUCK_LAB_DIR", USUAL)
        cache = os.environ.get("UNSTUCK_LAB_CACHE", "~/.cache/unstuck-lab")
        return cls(Path(state).absolute(), Path(cache).expanduser().absolute(), choose_release())

    @property
    def usual(self) -> bool:
        """Whether it is the default lab."""
        return self.state == Path(USUAL)

    @property
    def lock(self) -> Path:
        """Return the lock file for changes of the lab. It is beside the directory, which `down` removes."""
        return self.state.with_name(self.state.name + ".lock")

    @property
    def pki(self) -> Path:
        """Keys and certificates."""
        return self.state / "pki"

    @property
    def tokens(self) -> Path:
        """The API server's token file."""
        return self.state / "tokens.csv"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig, for use from the host."""
        return self.state / "kubeconfig"

    @property
    def reader_kubeconfig(self) -> Path:
        """The kubeconfig of a user without rights, for use from the host."""
        return self.state / "reader.kubeconfig"

    @property
    def faults(self) -> Path:
        """The directory with one file per applied fault."""
        return self.state / "faults"

    @property
    def answers(self) -> Path:
        """The directory with one file per answer of the product, kept after a failed test."""
        return self.state / "answers"

    def locate_box(self, name: str) -> Path:
        """Return the directory of one node (or of the control plane)."""
        return self.state / "boxes" / name

    def locate_logs(self, name: str) -> Path:
        """Return the host's path of /var/log inside the box `name`."""
        return self.locate_box(name) / "log"
