"""The prerequisites of a test run, provided before any lab is up: packages, programs, sources, images.

During tests, none of them may be built (`permission`): a missing one is then a mistake in this list.
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass

from unstuck_lab import agent, build, csi, docker, helm, images, lifecycle, oracle, packages
from unstuck_lab.errors import LabError
from unstuck_lab.paths import Paths
from unstuck_lab.tool import Tool

Say = Callable[[str], None]
# The free bytes required by a setup with empty caches, for its builds and Go's own caches.
NEEDS_FREE = 10 * 2**30


@dataclass(frozen=True)
class Prerequisite:
    """One dependency of a run. there: tells whether it exists. provide: provides it, or raises `LabError`."""

    name: str
    there: Callable[[], bool]
    provide: Callable[[Say], object]


def list_prerequisites(paths: Paths) -> list[Prerequisite]:
    """List the dependencies of the tests and faults, in the order of provision."""
    return [
        Prerequisite("packages of every lab", lambda: not packages.list_missing(), packages.ensure),
        Prerequisite(
            "packages of single tests",
            lambda: not packages.list_missing(packages.WITNESS_OF_TESTS),
            lambda say: packages.install(packages.list_missing(packages.WITNESS_OF_TESTS), say),
        ),
        Prerequisite("Kubernetes", lambda: build.is_built(paths), lambda say: build.ensure(paths, say)),
        Prerequisite(
            "source of Kubernetes", lambda: build.locate_kubernetes_source().exists(), build.ensure_source
        ),
        *(
            _make_tool_prerequisite(paths, tool)
            for tool in (helm.HELM, csi.LABCSI, csi.ATTACHER, oracle.ORACLE)
        ),
        Prerequisite("docker", lambda: docker.is_present(paths), lambda say: docker.ensure(paths, say)),
        Prerequisite(
            "images of every lab",
            lambda: _has_images(paths, images.PAUSE, images.BUSYBOX),
            lambda say: lifecycle.set_up(paths, say),
        ),
        Prerequisite(
            "image of Python",
            lambda: _has_images(paths, images.PYTHON),
            lambda say: images.ensure_python(paths, say),
        ),
        Prerequisite(
            "image of the agent", lambda: agent.has_image(paths), lambda say: agent.ensure_image(paths, say)
        ),
    ]


def provide(paths: Paths, say: Say, only: str | None = None) -> None:
    """Provide the missing prerequisites, or only the named one, and print each with its duration. Raises
    `LabError`.
    """
    wanted = [need for need in list_prerequisites(paths) if only in (None, need.name)]
    if not wanted:
        raise LabError(
            "is nothing that the setup provides",
            str(only),
            "there are: " + ", ".join(need.name for need in list_prerequisites(paths)),
        )
    missing = [need for need in wanted if not need.there()]
    if missing and not only:
        _require_room(paths)
    for need in missing:
        began = time.monotonic()
        need.provide(say)
        say(f"provided: {need.name} in {time.monotonic() - began:.0f} s")


def _make_tool_prerequisite(paths: Paths, tool: Tool) -> Prerequisite:
    return Prerequisite(
        tool.name, lambda: tool.locate_program(paths).exists(), lambda say: tool.ensure(paths, say)
    )


def _has_images(paths: Paths, *names: str) -> bool:
    return all(images.locate_archive(paths, name).exists() for name in names)


def _require_room(paths: Paths) -> None:
    place = next(parent for parent in (paths.cache, *paths.cache.parents) if parent.exists())
    free = shutil.disk_usage(place).free
    if free < NEEDS_FREE:
        raise LabError(
            f"has {free / 2**30:.1f} GiB free, the setup needs {NEEDS_FREE >> 30}",
            str(place),
            "free some, or set UNSTUCK_LAB_CACHE",
        )
