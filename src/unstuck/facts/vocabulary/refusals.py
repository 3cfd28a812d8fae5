"""The kubelet's reasons for rejecting or ending a Pod, as they appear in `status.reason`.

Sources (1.34): pkg/kubelet/lifecycle/predicate.go and handlers, cm/topologymanager, cm/devicemanager, sysctl,
kubelet.go (canAdmitPod).
"""

from __future__ import annotations

# Rejections at admission: the bound Pod never runs.
NOT_ADMITTED = (
    r"OutOf[a-z][\w./-]{0,100}|UnexpectedAdmissionError|TopologyAffinityError|NodeAffinity|NodeName"
    r"|NodePorts|SysctlForbidden|"
    r"PodOSSelectorNodeLabelDoesNotMatch|PodOSNotSupported|InvalidNodeInfo"
    r"|InitContainerRestartPolicyForbidden|"
    r"SupplementalGroupsPolicyNotSupported|PodLevelResourcesNotSupported|UnexpectedPredicateFailureType"
    r"|NodeShutdown|"
    r"VolumeAttachmentLimitExceeded"
)
