"""The agent in the lab: its image on every node, and the release `unstuck` of the project's chart."""

import hashlib
import json
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

from unstuck_lab import packages, shell
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import CommandFailedError, LabError
from unstuck_lab.paths import Paths
from unstuck_lab.permission import require_setup_allowed

IMAGE = "lab.local/unstuck-agent:1"
NAMESPACE = "unstuck-system"
RELEASE = "unstuck"
DAEMON_SET = "unstuck-agent"
# Differences from the chart's defaults: agents also ask their node's kubelet, so that all facts are
# available. No quota: tests install, upgrade and reinstall within the five minutes that the quota controller
# takes to count a new type.
VALUES = ("--set", f"image={IMAGE}", "--set", "agent.kubeletApi=true", "--set", "agent.maxProbes=0")


# The number of images to keep, newest first.
KEPT = 4
# The image's sources in a checkout.
_SOURCES = (
    "images/agent",
    "src/unstuck/agent",
    "src/unstuck/collect",
    "src/unstuck/facts",
    "src/unstuck/wording",
    "src/unstuck/errors.py",
)


def find_checkout() -> Path:
    """Return the checkout that contains this lab, the chart and the image's build script. Raises
    `LabError` if there is none.
    """
    found = Path(__file__).parents[3]
    if (found / "charts" / "unstuck" / "Chart.yaml").exists():
        return found
    raise LabError(
        "exist only in a checkout of unstuck",
        "chart and image",
        "install the lab editable: pip install -e ./lab",
    )


def bring_up(lab: Lab, say: Callable[[str], None], more: Sequence[str] = (), wait: float = 120) -> None:
    """Install or upgrade the release, as `helm upgrade --install` does, with `VALUES`.

    more: further options of helm. wait: seconds until every agent is Ready; 0 not to wait. Raises `LabError`.
    """
    new = load_image(lab, say)
    before = _read_generation(lab)
    install(lab, more)
    say(f"release {RELEASE} in {NAMESPACE}")
    if new and before == _read_generation(lab):
        # The tag is the same, so the DaemonSet does not notice the new image.
        lab.run_kubectl("rollout", "restart", "-n", NAMESPACE, f"daemonset/{DAEMON_SET}")
    if wait:
        lab.wait(lambda: is_ready(lab), wait, f"DaemonSet {DAEMON_SET} Ready")
        say("every agent is Ready")


def install(lab: Lab, more: Sequence[str] = ()) -> None:
    """Install only the chart's objects, without waiting for agents: `helm upgrade --install`. Raises
    `LabError`.
    """
    place = ["--namespace", NAMESPACE, "--create-namespace"]
    lab.run_helm(
        "upgrade", "--install", RELEASE, str(find_checkout() / "charts" / "unstuck"), *place, *VALUES, *more
    )


def ensure_image(paths: Paths, say: Callable[[str], None]) -> Path:
    """Build the image of the current sources unless it exists, in about 10 s. Raises `LabError`,
    `NotSetUpError` while tests run.
    """
    archive = _locate_archive(paths)
    if not archive.exists():
        require_setup_allowed(IMAGE)
        say(f"building {IMAGE}")
        script, mirror = str(find_checkout() / "images" / "agent" / "build.sh"), packages.find_mirror()
        shell.retry(
            lambda: shell.run_while_working(["nice", "env", f"MIRROR={mirror}", script, str(archive), IMAGE]),
            say,
        )
        for old in sorted(archive.parent.glob("*.tar"), key=lambda file: file.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
    return archive


def has_image(paths: Paths) -> bool:
    """Tell whether the image of the current sources exists."""
    return _locate_archive(paths).exists()


def _locate_archive(paths: Paths) -> Path:
    """Return the path of the image for the current sources; several checkouts may share a cache."""
    return paths.cache / "images" / "agent" / f"{_hash_sources()}.tar"


def _hash_sources() -> str:
    """Return a hash of the image's sources in the checkout."""
    top, found = find_checkout(), hashlib.sha256()
    for file in sorted(file for source in _SOURCES for file in _list_files(top / source)):
        found.update(
            file.relative_to(top).as_posix().encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest()
        )
    return found.hexdigest()[:16]


def _list_files(source: Path) -> list[Path]:
    return (
        [source] if source.is_file() else [f for f in source.rglob("*") if f.is_file() and f.suffix != ".pyc"]
    )


def load_image(lab: Lab, say: Callable[[str], None]) -> bool:
    """Load the image on every running node, in place of an older one. Return True if a node changed. Raises
    `LabError`.
    """
    archive = ensure_image(lab.paths, say)
    with tarfile.open(archive) as tar:
        index = tar.extractfile("index.json")
        digest = json.load(index)["manifests"][0]["digest"] if index else ""
    changed = False
    for node in lab.nodes:
        if not node.running:
            continue
        try:
            if digest in node.check(["ctr", "-n", "k8s.io", "images", "list", f"name=={IMAGE}"]):
                continue
            node.check(["ctr", "-n", "k8s.io", "images", "import", str(archive)], timeout=120)
        except CommandFailedError as error:
            # A fault may have stopped its containerd; the other nodes still get the image.
            say(f"{IMAGE} is not on {node.name}: {error}")
            continue
        say(f"{IMAGE} is on {node.name}")
        changed = True
    return changed


def take_down(lab: Lab, say: Callable[[str], None]) -> None:
    """Uninstall the release if it is installed. Its Namespace stays, as with helm.

    It does not wait for the agents to end: on a node with a fault they may be unable to.
    """
    if is_installed(lab):
        lab.run_helm("uninstall", RELEASE, "--namespace", NAMESPACE)
        say(f"release {RELEASE} uninstalled")


def is_installed(lab: Lab) -> bool:
    """Tell whether the release is installed."""
    try:
        found = json.loads(lab.run_helm("list", "--namespace", NAMESPACE, "--output", "json"))
    except CommandFailedError:
        return False
    return any(one["name"] == RELEASE for one in found)


def _read_generation(lab: Lab) -> int | None:
    found = lab.get(f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/{DAEMON_SET}")
    return found["metadata"]["generation"] if found else None


def is_ready(lab: Lab) -> bool:
    """Tell whether an agent of the current generation is Ready on every eligible node."""
    found = lab.get(f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/{DAEMON_SET}")
    if found is None:
        return False
    status = found["status"]
    wanted = status.get("desiredNumberScheduled", 0)
    seen = status.get("observedGeneration") == found["metadata"]["generation"]
    return bool(
        seen and wanted and status.get("numberReady") == status.get("updatedNumberScheduled") == wanted
    )
