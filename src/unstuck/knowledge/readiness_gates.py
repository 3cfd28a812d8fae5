"""The controllers of readiness gates: the condition's type, or its beginning, and the controller, with a
source for each row.
"""

from __future__ import annotations

from unstuck.facts.record import Record, record


@record()
class Setter(Record):
    """begins: the beginning of the condition's type. by: the controller's name in its project's spelling.
    source: the documentation.
    """

    begins: str
    by: str
    source: str


SETTERS: tuple[Setter, ...] = (
    Setter(
        "target-health.elbv2.k8s.aws/",
        "AWS Load Balancer Controller",
        "kubernetes-sigs.github.io/aws-load-balancer-controller: Pod readiness gate",
    ),
    Setter(
        "target-health.alb.ingress.k8s.aws/",
        "AWS ALB Ingress Controller",
        "kubernetes-sigs.github.io/aws-load-balancer-controller v1.1: pod conditions",
    ),
    Setter(
        "cloud.google.com/load-balancer-neg-ready",
        "GKE NEG controller",
        "cloud.google.com: container-native load balancing",
    ),
    Setter(
        "service.readiness.alibabacloud.com/",
        "Alibaba Cloud cloud-controller-manager",
        "alibabacloud.com: use readiness gates to seamlessly update pods",
    ),
    Setter("target-health.elb.k8s.cce/", "Huawei CCE", "support.huaweicloud.com: cce_10_0685"),
    Setter("InPlaceUpdateReady", "OpenKruise", "openkruise.io: In-place Update"),
    Setter("KruisePodReady", "OpenKruise", "openkruise/kruise apis/apps/pub: KruisePodReadyConditionType"),
)


def find_setter(gate: str) -> Setter | None:
    """Return the controller that sets this condition; None if none is known."""
    return next((s for s in SETTERS if gate.startswith(s.begins)), None)
