"""Types of well-known projects without a status: other programs read their spec, or copy it into their own
objects.

For an unlisted type the server is asked whether the type offers a status, and whether other objects have one.
"""

from __future__ import annotations

# API groups without reliably written status. Sources: istio.io/api (its status is written only if
# PILOT_ENABLE_STATUS is set), prometheus-operator pkg/apis/monitoring/v1, traefik
# pkg/provider/kubernetes/crd, projectcalico/api v3, k8snetworkplumbingwg NetworkAttachmentDefinition, tekton
# triggers v1beta1, kyverno and gatekeeper configuration.
_GROUPS = frozenset(
    {
        *("networking.istio.io", "security.istio.io", "telemetry.istio.io", "extensions.istio.io"),
        *(
            "traefik.io",
            "traefik.containo.us",
            "crd.projectcalico.org",
            "projectcalico.org",
            "k8s.cni.cncf.io",
        ),
        *("config.gatekeeper.sh", "secrets-store.csi.x-k8s.io", "instancetype.kubevirt.io"),
    }
)
# Usual endings of kinds that only describe other objects' contents or rules (tekton Task and Pipeline,
# argo-workflows WorkflowTemplate, cluster-api *Template, gateway-api ReferenceGrant, kueue ResourceFlavor,
# crossplane Composition).
_ENDS = (
    *(
        "Template",
        "Class",
        "Config",
        "Configuration",
        "Profile",
        "Preset",
        "Binding",
        "ReferenceGrant",
        "ResourceFlavor",
        "Topology",
    ),
    *(
        "Composition",
        "CompositionRevision",
        "Task",
        "Pipeline",
        "TaskSpec",
        "StepAction",
        "Monitor",
        "Rule",
        "AppProject",
        "Instancetype",
    ),
    *("Preference", "Advertisement", "TriggerAuthentication", "Options", "Defaults"),
)


def has_no_status(kind: str) -> bool:
    """Tell whether objects of this kind, such as `VirtualService.networking.istio.io`, are known to have no
    status.
    """
    name, _, group = kind.partition(".")
    return group in _GROUPS or name.endswith(_ENDS)
