"""The few settings of the whole machine that a kubelet changes, put back by `down`.

Which ones: `setupKernelTunables` in pkg/kubelet/cm/container_manager_linux.go.
"""

import json
from pathlib import Path

from unstuck_lab.box import any_left
from unstuck_lab.paths import Paths

CHANGED = (
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
)


def _file(paths: Paths) -> Path:
    return paths.state / "sysctls.json"


def record(paths: Paths) -> None:
    """Write down what they are, once, before the first kubelet of this lab runs."""
    if not _file(paths).exists():
        found = {name: (Path("/proc/sys") / name).read_text().strip() for name in CHANGED}
        part = _file(paths).with_suffix(".part")
        part.write_text(json.dumps(found))
        part.rename(_file(paths))


def restore(paths: Paths) -> None:
    """Put them back, unless another lab still runs."""
    if _file(paths).exists() and not any_left():
        for name, value in json.loads(_file(paths).read_text()).items():
            file = Path("/proc/sys") / name
            if file.read_text().strip() != value:
                file.write_text(value)
