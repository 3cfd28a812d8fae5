"""`python -m scripts.check_versions [MINOR ...]`: runs the faults without a node on other releases of
Kubernetes (`make check-versions`).

Each release has a separate lab, which is removed at the end. An API server of another version is an error, so
that "newest" cannot fall back to the usual one.
"""

from __future__ import annotations

import sys
from pathlib import Path

from unstuck_lab import Lab, lifecycle, matrix
from unstuck_lab.errors import LabError
from unstuck_lab.fault import list_faults
from unstuck_lab.paths import Paths
from unstuck_lab.releases import NEWEST, OLDEST, KubernetesRelease

_NODES = 3


def main(minors: list[str]) -> int:
    """Run the faults on each release. Return 0 if every answer is accepted."""
    wrong = [minor for minor in minors if minor not in _RELEASES]
    if wrong:
        sys.stderr.write(f"check-versions: {', '.join(wrong)}: there are {', '.join(_RELEASES)}\n")
        return 2
    return max(_check(_RELEASES[minor]) for minor in minors or _RELEASES)


_RELEASES = {release.minor: release for release in (OLDEST, NEWEST)}


def _check(release: KubernetesRelease) -> int:
    usual = Paths.from_environment()
    paths = Paths(Path(f"{usual.state}-{release.minor}"), usual.cache, release)
    lab = Lab(paths)
    say = lifecycle.make_stopwatch(_tell)
    try:
        lifecycle.bring_up(lab, _NODES, say)
        running = str(lab.request("GET", "/version")["gitVersion"])
        kubelets = sorted(
            {
                node["status"]["nodeInfo"]["kubeletVersion"]
                for node in lab.request("GET", "/api/v1/nodes")["items"]
            }
        )
        _tell(f"API server {running}, kubelets {', '.join(kubelets)}")
        if running != release.version:
            raise LabError(f"is {running}", "API server", f"{release.version} was wanted")
        rows = matrix.run(
            lab,
            [
                fault
                for fault in list_faults()
                if not fault.needs_node_access and fault.since <= release.minor_number
            ],
            say,
        )
    finally:
        lifecycle.take_down(paths, say)
    _tell("\n".join(("", f"Kubernetes {release.version}", *matrix.format_table(rows))))
    return 0 if all(row.judged.ok for row in rows) else 1


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
