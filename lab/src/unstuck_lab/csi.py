"""Programs for CSI and DRA faults: the lab's driver (see csidriver/main.go) and the real csi-attacher."""

from unstuck_lab.tool import Tool

DRIVER = "csi.lab.local"

# Built from the same packages as the kubelet.
LABCSI = Tool("labcsi", "csidriver", DRIVER, ".")

_MODULE = "github.com/kubernetes-csi/external-attacher/v4"
ATTACHER = Tool(
    "csi-attacher",
    "attacherbuild",
    "v4.13.0",
    f"{_MODULE}/cmd/csi-attacher",
    "minutes when Go's own cache is cold",
)
