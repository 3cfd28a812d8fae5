"""A Namespace is deleted with the Service of a CRD's conversion webhook: objects stored in the old version
cannot be listed any more.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import ApiError
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _operator, _steps

NS, GROUP, KIND = "f-conversion-webhook-gone", "convert.lab.example.com", "Gear"
CRD = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gears.{GROUP}"
OBJECT = f"/apis/{GROUP}/v1/namespaces/{NS}/gears/g1"


def apply(lab: Lab) -> None:
    _operator.define(lab, NS, GROUP, KIND)
    meta = {"name": "g1", "namespace": NS}
    lab.apply({"apiVersion": f"{GROUP}/v1", "kind": KIND, "metadata": meta})
    definition = _operator.make_definition(GROUP, KIND)
    # The object stays stored as v1 while v2 is the preferred version.
    old = definition["spec"]["versions"][0]
    definition["spec"]["versions"] = [old | {"storage": False}, old | {"name": "v2"}]
    definition["spec"]["conversion"] = {
        "strategy": "Webhook",
        "webhook": {
            "conversionReviewVersions": ["v1"],
            "clientConfig": {"service": {"namespace": NS, "name": "converter"}},
        },
    }
    lab.apply(definition)
    lab.wait(lambda: _is_v2_failing(lab), 30, f"version v2 of {GROUP}")
    _steps.delete_namespace(lab, NS)


def _is_v2_failing(lab: Lab) -> bool:
    try:
        lab.request("GET", f"/apis/{GROUP}/v2/namespaces/{NS}/gears")
    except ApiError as error:
        return "conversion webhook" in str(error)
    return False


def observe(lab: Lab) -> str | None:
    return _checks.find_namespace_condition(lab, NS, "NamespaceDeletionContentFailure", "conversion webhook")


def heal(lab: Lab) -> None:
    if lab.get(CRD):
        patch = {"spec": {"conversion": {"strategy": "None", "webhook": None}}}
        lab.request("PATCH", CRD, patch, content_type="application/merge-patch+json")
    _steps.wait_gone(lab, NS)
    _steps.delete(lab, CRD)


FAULT = Fault(
    name="conversion-webhook-gone",
    summary="a Namespace waits because the conversion webhook of a type in it is gone",
    scope="pod",
    subject=f"ns/{NS}",
    namespace=None,
    accepts=("namespace.conversion-webhook-unreachable",),
    consequences=("namespace.content-remains",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
)
