"""Programs built from Go modules, kept in the cache by a hash of their sources."""

import hashlib
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from unstuck_lab import shell
from unstuck_lab.errors import LabError
from unstuck_lab.paths import Paths, read_architecture
from unstuck_lab.permission import require_setup_allowed
from unstuck_lab.releases import USUAL, KubernetesRelease

VERSION = USUAL.version

COMPONENTS = (
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubelet",
    "kube-proxy",
    "kubectl",
)
OF_NODES = ("kubelet", "kube-proxy")


@dataclass(frozen=True)
class Programs:
    """`kubelab` (all of Kubernetes) and `labinit` (see controlplane/labinit). nodes: the `kubelab` of the
    nodes.
    """

    kubelab: Path
    labinit: Path
    nodes: Path

    def locate(self, name: str) -> str:
        """Return the path of one component, named as on a real host, since `ps` shows the name."""
        return str((self.nodes if name in OF_NODES else self.kubelab).with_name(name))


def find_sources(module: str = "controlplane") -> Path:
    """Return the directory of a Go module, or of the releases' go.mod files: beside `src` in a checkout,
    inside the package when installed.
    """
    here = Path(__file__).parent
    for candidate in (here / module, here.parents[1] / module):
        if candidate.is_dir():
            return candidate
    raise LabError("its Go sources are missing", "unstuck-lab", "install it again")


def locate_programs(paths: Paths) -> Programs:
    """Return the paths of the programs for the current sources (built or not)."""
    own, nodes = _locate_release(paths, paths.release), _locate_release(paths, paths.release.of_nodes)
    return Programs(own / "kubelab", own / "labinit", nodes / "kubelab")


def _locate_release(paths: Paths, release: KubernetesRelease) -> Path:
    """Return the cache directory for one release's programs."""
    if not release.modules:
        return locate_build(paths, find_sources(), release.version)
    return locate_build(paths, find_sources(), release.version, find_sources("gomods") / release.modules)


def is_built(paths: Paths) -> bool:
    """Tell whether all programs are built for the current sources."""
    found = locate_programs(paths)
    return all(program.exists() for program in (found.kubelab, found.labinit, found.nodes))


def locate_build(paths: Paths, module: Path, version: str, *further: Path) -> Path:
    """Return the cache directory for the current state of a Go module. further: directories that are part of
    that state.
    """
    digest = hashlib.sha256(f"{version} {read_architecture()}".encode())
    for directory in (module, *further):
        for file in sorted(directory.rglob("*")):
            if file.name in ("go.mod", "go.sum") or file.suffix == ".go":
                digest.update(file.relative_to(directory).as_posix().encode() + b"\0")
                digest.update(file.read_bytes())
    return paths.cache / "bin" / digest.hexdigest()[:16]


def ensure(paths: Paths, say: Callable[[str], None]) -> Programs:
    """Build missing programs. Raises `LabError` without Go 1.24 or later."""
    for release in dict.fromkeys((paths.release, paths.release.of_nodes)):
        _ensure_release(paths, release, say)
    return locate_programs(paths)


def _ensure_release(paths: Paths, release: KubernetesRelease, say: Callable[[str], None]) -> None:
    directory = _locate_release(paths, release)
    kubelab = directory / "kubelab"
    link = f"-s -w -X k8s.io/component-base/version.gitVersion={release.version}"
    for target, package in ((directory / "labinit", "./labinit"), (kubelab, ".")):
        if not target.exists():
            if package == ".":
                say(f"building Kubernetes {release.version} (minutes when Go's own cache is cold)")
            compile_go(target, package, find_sources(), link, say, _list_flags(release))
    for name in COMPONENTS:
        symlink = kubelab.with_name(name)
        if not symlink.is_symlink():
            symlink.symlink_to(kubelab.name)


def _list_flags(release: KubernetesRelease) -> tuple[str, ...]:
    """Return the Go command's flags for a release: none for the usual one."""
    if not release.modules:
        return ()
    return (f"-modfile={find_sources('gomods') / release.modules / 'go.mod'}", f"-tags={release.tags}")


def compile_go(
    target: Path, package: str, module: Path, link: str, say: Callable[[str], None], flags: Sequence[str] = ()
) -> None:
    """Build a package of a Go module into `target`: download its dependencies, then build without a network.

    flags: further flags for `go list` and `go build`.

    Raises `NotSetUpError` while tests run, `LabError` without Go, `CommandFailedError` when it cannot be
    downloaded or built.
    """
    require_setup_allowed(target.name)
    go = _find_go(target.name)
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_parts(target, say)
    env = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false"}
    # Lists the packages to build, and downloads their modules, and the toolchain if go.mod requires another.
    shell.retry(
        lambda: shell.run_while_working([go, "list", *flags, "-deps", package], env=env, cwd=str(module)), say
    )
    # Renamed once complete, so that a killed build does not look complete.
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    command = ["nice", go, "build", "-trimpath", *flags, f"-ldflags={link}", "-o", str(part), package]
    try:
        shell.run_while_working(command, env={**env, "GOPROXY": "off"}, cwd=str(module))
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)


def _find_go(wanted_for: str) -> str:
    found = shutil.which("go") or shutil.which("/usr/local/go/bin/go")
    if found is None:
        raise LabError("Go is not installed", wanted_for, "install Go 1.24 or later, https://go.dev/dl")
    return found


def _remove_parts(target: Path, say: Callable[[str], None]) -> None:
    """Remove the leftovers of killed builds beside `target`, but not those of running builds."""
    for part in target.parent.glob(f"{target.name}.*.part"):
        pid = part.name.removeprefix(f"{target.name}.").removesuffix(".part")
        if not (pid.isdigit() and Path(f"/proc/{pid}").exists()):
            say(f"removing {part.name}, left by a build that was killed")
            part.unlink(missing_ok=True)


def locate_kubernetes_source() -> Path:
    """Return the path of the source of Kubernetes in Go's module cache, whether or not it exists. Raises
    `LabError` without Go.
    """
    cache = shell.run([_find_go("the module cache"), "env", "GOMODCACHE"]).strip()
    return Path(cache) / f"k8s.io/kubernetes@{VERSION}"


def ensure_source(say: Callable[[str], None]) -> Path:
    """Download the source of Kubernetes unless the module cache has it. The message patterns are checked
    against it.
    """
    found = locate_kubernetes_source()
    if not found.exists():
        require_setup_allowed(found.name)
        command = [_find_go(found.name), "mod", "download", "k8s.io/kubernetes"]
        shell.retry(lambda: shell.run_while_working(command, cwd=str(find_sources())), say)
    return found
