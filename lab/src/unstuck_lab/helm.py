"""Helm, built like the cluster's own programs."""

from unstuck_lab.build import VERSION as KUBERNETES
from unstuck_lab.tool import Tool

MODULE = "helm.sh/helm/v3"
VERSION = "v3.22.0"
# Without these, helm assumes 1.20 when not connected to a cluster.
_MINOR = KUBERNETES.split(".")[1]
LINK = " ".join(
    (
        f"-s -w -X {MODULE}/internal/version.version={VERSION}",
        *(
            f"-X {MODULE}/pkg/{p}.k8sVersionMajor=1 -X {MODULE}/pkg/{p}.k8sVersionMinor={_MINOR}"
            for p in ("chartutil", "lint/rules")
        ),
    )
)
# 100 s with a cold cache on two cores.
HELM = Tool(
    "helm", "helmbuild", VERSION, f"{MODULE}/cmd/helm", "a minute or two when Go's own cache is cold", LINK
)
