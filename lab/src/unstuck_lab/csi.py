"""The lab's CSI driver (see csidriver/main.go), built as the cluster's own programs are."""

from collections.abc import Callable
from pathlib import Path

from unstuck_lab.build import compile_go, kept_in, sources
from unstuck_lab.paths import Paths

LINK = "-s -w"
DRIVER = "csi.lab.local"


def program(paths: Paths) -> Path:
    """Where the driver is for its sources as they stand (built or not)."""
    return kept_in(paths, sources("csidriver"), DRIVER) / "labcsi"


def ensure(paths: Paths, say: Callable[[str], None]) -> Path:
    """Build the driver when it is not built: seconds, as the kubelet is built of the same packages. Raises `LabError` without Go."""
    target = program(paths)
    if not target.exists():
        say("building the CSI test driver")
        compile_go(target, ".", sources("csidriver"), LINK)
    return target
