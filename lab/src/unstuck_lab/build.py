"""The two Go programs, built once and kept in the cache by a hash of their sources."""

import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from unstuck_lab import shell
from unstuck_lab.errors import LabError
from unstuck_lab.paths import Paths, architecture

VERSION = "v1.34.4"
LINK = f"-s -w -X k8s.io/component-base/version.gitVersion={VERSION}"

COMPONENTS = (
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubelet",
    "kube-proxy",
    "kubectl",
)


@dataclass(frozen=True)
class Programs:
    """`kubelab` (all of Kubernetes) and `labinit` (see controlplane/labinit)."""

    kubelab: Path
    labinit: Path

    def component(self, name: str) -> str:
        """The path that runs one component, named as on a real machine (`ps` shows it)."""
        return str(self.kubelab.with_name(name))


def sources() -> Path:
    """The Go module: beside `src` in a checkout, inside the package when installed."""
    here = Path(__file__).parent
    for candidate in (here / "controlplane", here.parents[1] / "controlplane"):
        if (candidate / "go.mod").exists():
            return candidate
    raise LabError("its Go sources are not there", "unstuck-lab", "install it again")


def programs(paths: Paths) -> Programs:
    """Where the programs are for the sources as they stand (built or not)."""
    digest = hashlib.sha256(f"{VERSION} {architecture()}".encode())
    for file in sorted(sources().rglob("*")):
        if file.name in ("go.mod", "go.sum") or file.suffix == ".go":
            digest.update(file.relative_to(sources()).as_posix().encode() + b"\0")
            digest.update(file.read_bytes())
    directory = paths.cache / "bin" / digest.hexdigest()[:16]
    return Programs(directory / "kubelab", directory / "labinit")


def ensure(paths: Paths, say: Callable[[str], None]) -> Programs:
    """Build what is not built. Raises `LabError` without Go 1.24 or later."""
    built = programs(paths)
    for target, package in ((built.labinit, "./labinit"), (built.kubelab, ".")):
        if not target.exists():
            _build(target, package, say)
    for name in COMPONENTS:
        link = built.kubelab.with_name(name)
        if not link.is_symlink():
            link.symlink_to(built.kubelab.name)
    return built


def _build(target: Path, package: str, say: Callable[[str], None]) -> None:
    go = shutil.which("go") or shutil.which("/usr/local/go/bin/go")
    if go is None:
        raise LabError("Go is not installed", "control plane", "install Go 1.24 or later, https://go.dev/dl")
    if package == ".":
        say(f"building Kubernetes {VERSION} (minutes when Go's own cache is cold)")
    target.parent.mkdir(parents=True, exist_ok=True)
    # Renamed when whole, so that a build that was killed is not taken for one.
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    env = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false"}
    command = [go, "build", "-trimpath", f"-ldflags={LINK}", "-o", str(part), package]
    try:
        shell.run(command, timeout=3000, env=env, cwd=str(sources()))
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)
