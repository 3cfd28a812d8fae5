"""Names of the DaemonSets of network plugins: each writes the configuration in /etc/cni/net.d once its Pod
runs on the Node.
"""

from __future__ import annotations

from unstuck.facts.regex import regex

# Sources: the manifests of each project: weave-daemonset-k8s.yaml of weaveworks/weave; calico.yaml and
# canal.yaml in manifests of projectcalico/calico; kube-flannel.yml of flannel-io/flannel; install/kubernetes
# of cilium/cilium; aws-k8s-cni.yaml of aws/amazon-vpc-cni-k8s; antrea.yml of antrea-io/antrea; daemonset of
# cloudnativelabs/kube-router; kindnetd of kubernetes-sigs/kind; dist of ovn-kubernetes; install.sh of
# kubeovn/kube-ovn; docs/kubernetes of romana; bindata/network of openshift/cluster-network-operator.
_PODS = regex(
    r"^(?:weave-net|calico-node|canal|kube-flannel(?:-ds)?(?:-[a-z0-9]{2,8})?|flannel|cilium|aws-node"
    r"|antrea-agent|kube-router|kindnet"
    r"|ovnkube-node|kube-ovn-cni|romana-agent|multus|kube-multus-ds(?:-[a-z0-9]{2,8})?|sdn)-[a-z0-9]{4,5}$"
)


def is_network_agent(pod: str) -> bool:
    """Tell whether a Pod of this name belongs to a network plugin's DaemonSet."""
    return _PODS.match(pod) is not None
