"""The reasons for which a kubelet accepts no Pod, or ends a whole one, as they appear in `status.reason`.

Sources (1.34): pkg/kubelet/lifecycle/predicate.go and handlers, cm/topologymanager, cm/devicemanager, sysctl,
kubelet.go (canAdmitPod).
"""

from __future__ import annotations

# A Pod that is bound to the Node is not admitted there: it never runs.
NOT_ADMITTED = (
    r"OutOf[a-z][\w./-]{0,100}|UnexpectedAdmissionError|TopologyAffinityError|NodeAffinity|NodeName"
    r"|NodePorts|SysctlForbidden|"
    r"PodOSSelectorNodeLabelDoesNotMatch|PodOSNotSupported|InvalidNodeInfo"
    r"|InitContainerRestartPolicyForbidden|"
    r"SupplementalGroupsPolicyNotSupported|PodLevelResourcesNotSupported|UnexpectedPredicateFailureType"
    r"|NodeShutdown|"
    r"VolumeAttachmentLimitExceeded"
)
