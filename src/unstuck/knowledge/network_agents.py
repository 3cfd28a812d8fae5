"""Names of the DaemonSets that give a Node its network: each writes the configuration in /etc/cni/net.d once its Pod runs there."""

from __future__ import annotations

from unstuck.facts.regex import regex

# Sources: the projects' own manifests: weaveworks/weave (weave-daemonset-k8s.yaml), projectcalico/calico (manifests/calico.yaml,
# canal.yaml), flannel-io/flannel (kube-flannel.yml), cilium/cilium (install/kubernetes), aws/amazon-vpc-cni-k8s (aws-k8s-cni.yaml),
# antrea-io/antrea (antrea.yml), cloudnativelabs/kube-router (daemonset/), kubernetes-sigs/kind (kindnetd), ovn-kubernetes (dist/),
# kubeovn/kube-ovn (install.sh), romana (docs/kubernetes), openshift/cluster-network-operator (bindata/network).
_PODS = regex(
    r"^(?:weave-net|calico-node|canal|kube-flannel(?:-ds)?(?:-[a-z0-9]{2,8})?|flannel|cilium|aws-node|antrea-agent|kube-router|kindnet"
    r"|ovnkube-node|kube-ovn-cni|romana-agent|multus|kube-multus-ds(?:-[a-z0-9]{2,8})?|sdn)-[a-z0-9]{4,5}$"
)


def is_network_agent(pod: str) -> bool:
    """Tell whether a Pod of this name is one of a network add-on's DaemonSet."""
    return _PODS.match(pod) is not None
