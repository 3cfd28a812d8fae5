"""Docker's programs, for faults with a dockerd.

Debian's package is unpacked and not installed: its service would change the host's firewall.
"""

from collections.abc import Callable
from pathlib import Path

from unstuck_lab import packages, shell
from unstuck_lab.errors import LabError
from unstuck_lab.paths import Paths
from unstuck_lab.permission import require_setup_allowed


def locate_programs(paths: Paths) -> Path:
    """Return the directory of docker's programs (`bin`, `sbin`), whether or not it exists."""
    return paths.cache / "docker" / "usr"


def is_present(paths: Paths) -> bool:
    """Tell whether docker's programs are unpacked."""
    return (locate_programs(paths) / "sbin/dockerd").exists()


def ensure(paths: Paths, say: Callable[[str], None]) -> Path:
    """Download and unpack docker's programs unless they exist; return their directory. Raises `LabError`,
    `NotSetUpError` while tests run.
    """
    if not is_present(paths):
        require_setup_allowed("docker.io")
        place = locate_programs(paths).parent
        place.mkdir(parents=True, exist_ok=True)
        packages.fetch(
            lambda: shell.run_while_working(["apt-get", "download", "-q", "docker.io"], cwd=str(place)), say
        )
        for package in sorted(place.glob("docker.io_*.deb")):
            shell.run(["dpkg", "-x", str(package), str(place)], timeout=120)
            package.unlink()
    if not is_present(paths):
        raise LabError("has no dockerd in it", "docker.io", "see what `apt-get download docker.io` says")
    return locate_programs(paths)
