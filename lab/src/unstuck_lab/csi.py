"""What CSI and DRA faults need: the lab's own driver (see csidriver/main.go), and the real csi-attacher
beside it.
"""

from unstuck_lab.tool import Tool

DRIVER = "csi.lab.local"

# Built of the same packages as the kubelet.
LABCSI = Tool("labcsi", "csidriver", DRIVER, ".")

_MODULE = "github.com/kubernetes-csi/external-attacher/v4"
ATTACHER = Tool(
    "csi-attacher",
    "attacherbuild",
    "v4.13.0",
    f"{_MODULE}/cmd/csi-attacher",
    "minutes when Go's own cache is cold",
)
