"""The agent in the lab: its image on every node, and the release `unstuck` of the project's chart."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from unstuck_lab import images, nodesetup
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import CommandFailedError, LabError

IMAGE = "lab.local/unstuck-agent:1"
NAMESPACE = "unstuck-system"
RELEASE = "unstuck"
DAEMON_SET = "unstuck-agent"


def chart() -> Path:
    """The chart of the checkout that this lab belongs to. Raises `LabError` where it is not part of one."""
    found = Path(__file__).parents[3] / "charts" / "unstuck"
    if (found / "Chart.yaml").exists():
        return found
    raise LabError("is only there in a checkout of unstuck", "the chart", "install the lab editable: pip install -e ./lab")


def up(lab: Lab, say: Callable[[str], None], more: Sequence[str] = (), wait: float = 120) -> None:
    """Install or upgrade the release, as `helm upgrade --install` does, with all defaults but the image.

    more: further options of helm. wait: seconds until every agent is Ready; 0 not to wait. Raises `LabError`.
    """
    load_image(lab, say)
    place = ["--namespace", NAMESPACE, "--create-namespace"]
    lab.helm("upgrade", "--install", RELEASE, str(chart()), *place, "--set", f"image={IMAGE}", *more)
    say(f"release {RELEASE} in {NAMESPACE}")
    if wait:
        lab.wait(lambda: ready(lab), wait, f"DaemonSet {DAEMON_SET} Ready")
        say("every agent is Ready")


def load_image(lab: Lab, say: Callable[[str], None]) -> bool:
    """Put the image on every running node; False where it has not been built."""
    archive = images.archive(lab.paths, IMAGE)
    if not archive.exists():
        say(f"{IMAGE} has not been built: agents will not start ({archive})")
        return False
    for node in lab.nodes:
        if node.running:
            nodesetup.load_images(node.box, [archive])
    return True


def down(lab: Lab, say: Callable[[str], None]) -> None:
    """Uninstall the release and remove its Namespace; nothing when it is not there."""
    if installed(lab):
        lab.helm("uninstall", RELEASE, "--namespace", NAMESPACE, "--wait")
        say(f"release {RELEASE} uninstalled")
    lab.kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found", timeout=120)


def installed(lab: Lab) -> bool:
    """Whether the release is there."""
    try:
        found = json.loads(lab.helm("list", "--namespace", NAMESPACE, "--output", "json"))
    except CommandFailedError:
        return False
    return any(one["name"] == RELEASE for one in found)


def ready(lab: Lab) -> bool:
    """Whether an agent of the present generation is Ready on every node that it is wanted on."""
    found = lab.get(f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/{DAEMON_SET}")
    if found is None:
        return False
    status = found["status"]
    wanted = status.get("desiredNumberScheduled", 0)
    seen = status.get("observedGeneration") == found["metadata"]["generation"]
    return bool(seen and wanted and status.get("numberReady") == status.get("updatedNumberScheduled") == wanted)
