"""The lab's releases of Kubernetes: the usual one, the oldest supported one, and the newest.

An API server supports kubelets that are up to three minor versions older, and newer kubelets require a newer
containerd than Debian's: with the newest release, nodes stay at the usual one. Source: the version skew
policy.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from unstuck_lab.errors import LabError

VARIABLE = "UNSTUCK_LAB_KUBERNETES"


@dataclass(frozen=True)
class KubernetesRelease:
    """One release. modules: the directory in `gomods/` with its go.mod, "" for `controlplane/`. tags: for the
    Go compiler. nodes: the release of its nodes' programs, if different.
    """

    version: str
    modules: str = ""
    tags: str = ""
    nodes: "KubernetesRelease | None" = None

    @property
    def minor(self) -> str:
        """Return the minor version: `1.34`."""
        return self.version.removeprefix("v").rpartition(".")[0]

    @property
    def minor_number(self) -> int:
        """Return the number after the first dot: 34 of 1.34."""
        return int(self.minor.partition(".")[2])

    @property
    def of_nodes(self) -> "KubernetesRelease":
        """Return the release of its nodes' programs."""
        return self.nodes or self


USUAL = KubernetesRelease("v1.34.4")
OLDEST = KubernetesRelease("v1.30.14", "1.30", "kubernetes_1_30")
NEWEST = KubernetesRelease("v1.37.2", "1.37", nodes=USUAL)
ALL = (OLDEST, USUAL, NEWEST)


def choose_release(environ: Mapping[str, str] = os.environ) -> KubernetesRelease:
    """Return the release of `UNSTUCK_LAB_KUBERNETES`, a minor version, or else the usual one. Raises
    `LabError`.
    """
    wanted = environ.get(VARIABLE)
    if not wanted:
        return USUAL
    found = next((release for release in ALL if release.minor == wanted), None)
    if found is None:
        there = ", ".join(release.minor for release in ALL)
        raise LabError("is no release that the lab can run", f"{VARIABLE}={wanted}", f"there are: {there}")
    return found
