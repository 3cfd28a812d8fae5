"""Helm, built like the cluster's own programs: through Go's module proxy, kept in the cache by a hash of its module file."""

from collections.abc import Callable
from pathlib import Path

from unstuck_lab.build import VERSION as KUBERNETES
from unstuck_lab.build import compile_go, kept_in, sources
from unstuck_lab.paths import Paths

MODULE = "helm.sh/helm/v3"
VERSION = "v3.22.0"
# Without these it takes every cluster that it is not connected to for a 1.20.
_MINOR = KUBERNETES.split(".")[1]
LINK = " ".join(
    (
        f"-s -w -X {MODULE}/internal/version.version={VERSION}",
        *(f"-X {MODULE}/pkg/{p}.k8sVersionMajor=1 -X {MODULE}/pkg/{p}.k8sVersionMinor={_MINOR}" for p in ("chartutil", "lint/rules")),
    )
)


def program(paths: Paths) -> Path:
    """Where helm is for the module file as it stands (built or not)."""
    return kept_in(paths, sources("helmbuild"), VERSION) / "helm"


def ensure(paths: Paths, say: Callable[[str], None]) -> Path:
    """Build helm when it is not built: 100 s with a cold cache on two cores. Raises `LabError` without Go."""
    target = program(paths)
    if not target.exists():
        say(f"building Helm {VERSION} (a minute or two when Go's own cache is cold)")
        compile_go(target, f"{MODULE}/cmd/helm", sources("helmbuild"), LINK)
    return target
