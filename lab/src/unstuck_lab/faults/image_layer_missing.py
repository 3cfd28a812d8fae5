"""The files of an image's layer below the runtime's directory are deleted: no container can be created
from that image.
"""

from unstuck_lab import images, nodesetup
from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps
from unstuck_lab.faults._plugin import NODE

NS, NAME = "f-image-layer-missing", "of-a-lost-layer"
_IMAGE = "lab.local/lost-layer:1"
# The image has a unique layer, which identifies it.
_MARK = "f-image-layer-missing"


def apply(lab: Lab) -> None:
    archive = images.locate_archive(lab.paths, _IMAGE)
    images.write_image(
        archive, _IMAGE, images.make_layer([images.Entry(_MARK, content=b"\n")]), [], ["/none"]
    )
    node = lab.get_node(NODE)
    nodesetup.load_images(node.box, [archive])
    found = node.check(["find", "/var/lib/containerd", "-path", f"*/snapshots/*/fs/{_MARK}"]).split()
    for mark in found:
        node.check(["rm", "-rf", mark.removesuffix(f"/{_MARK}")])
    container = {"image": _IMAGE, "imagePullPolicy": "Never"}
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, container=container, nodeName=NODE))


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    lab.get_node(NODE).run(["ctr", "-n", "k8s.io", "images", "remove", _IMAGE])


FAULT = Fault(
    name="image-layer-missing",
    summary="a container is not created because the files of its image's layer were deleted on the node",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("runtime.metadata-corrupt",),
    with_node="proven",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _checks.find_waiting_message(
        lab, NS, NAME, "CreateContainerError", "failed to stat parent"
    ),
    heal=heal,
)
