"""The files of a node, as text: kubelet, containerd, CNI and kube-proxy.

Each has its usual path; the node's /etc is an overlay over the host's.
"""

import json
from collections.abc import Mapping

import yaml

from unstuck_lab import handlers, images, pki
from unstuck_lab.control import format_inner_url
from unstuck_lab.paths import (
    INNER_KUBECONFIG,
    NODE_NAMES,
    POD_RANGE,
    SERVICE_DNS_ADDRESS,
    Paths,
    format_node_address,
    format_pod_range,
)
from unstuck_lab.releases import KubernetesRelease


def list_etc_files(paths: Paths, name: str) -> Mapping[str, str]:
    """Return the files of node `name`: path below /etc to content."""
    hosts = "".join(f"{format_node_address(n)} {n}\n" for n in NODE_NAMES)
    return {
        "hostname": f"{name}\n",
        "hosts": f"127.0.0.1 localhost\n{hosts}",
        # The lab has no DNS server; without a nameserver look-ups fail at once.
        "resolv.conf": "# no DNS in the lab\n",
        "machine-id": f"{int(name[-1]):032x}\n",
        "containerd/config.toml": CONTAINERD,
        "cni/net.d/10-lab.conflist": _dump_json(make_cni_config(name)),
        INNER_KUBECONFIG: pki.format_kubeconfig(paths, pki.ADMIN, format_inner_url()),
        "kubernetes/kubelet.conf": pki.format_kubeconfig(paths, pki.make_node_user(name), format_inner_url()),
        "kubernetes/kube-proxy.conf": pki.format_kubeconfig(paths, pki.PROXY, format_inner_url()),
        "kubernetes/kube-proxy.yaml": yaml.safe_dump(make_kube_proxy_config(name)),
        "kubernetes/kubelet.yaml": yaml.safe_dump(make_kubelet_config(paths.release.of_nodes)),
        "kubernetes/pki/ca.crt": (paths.pki / "ca.crt").read_text(),
        "kubernetes/manifests/.keep": "",
        **handlers.list_etc_files(),
    }


def make_kubelet_config(release: KubernetesRelease) -> dict[str, object]:
    """Return a KubeletConfiguration v1beta1 for a kubelet of this release, with the standard paths
    and ports.
    """
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": "/etc/kubernetes/pki/ca.crt"},
        },
        "authorization": {"mode": "Webhook"},
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "cgroupDriver": "cgroupfs",
        # Since 1.31; a kubelet rejects unknown fields.
        **({"failCgroupV1": False} if release.minor_number > 30 else {}),
        "failSwapOn": False,
        "oomScoreAdj": 0,
        "clusterDNS": [SERVICE_DNS_ADDRESS],
        "clusterDomain": "cluster.local",
        "staticPodPath": "/etc/kubernetes/manifests",
        # The disk is the developer's: even if it is 90 % full, the kubelet must neither evict Pods nor remove
        # images without a registry.
        "evictionHard": {
            "memory.available": "100Mi",
            "nodefs.available": "1%",
            "imagefs.available": "1%",
            "nodefs.inodesFree": "1%",
        },
        "imageGCHighThresholdPercent": 100,
    }


def make_kube_proxy_config(name: str) -> dict[str, object]:
    """Return a KubeProxyConfiguration v1alpha1."""
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "clientConnection": {"kubeconfig": "/etc/kubernetes/kube-proxy.conf"},
        "mode": "iptables",
        "clusterCIDR": POD_RANGE,
        "hostnameOverride": name,
        # These sysctls belong to the whole host, so they are not changed.
        "conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
    }


def make_cni_config(name: str) -> dict[str, object]:
    """Return a CNI configuration list: one veth per Pod, with an address of the node's range."""
    return {
        "cniVersion": "0.4.0",
        "name": "lab",
        "plugins": [
            {
                "type": "ptp",
                "ipMasq": False,
                "ipam": {
                    "type": "host-local",
                    "subnet": format_pod_range(name),
                    "routes": [{"dst": "0.0.0.0/0"}],
                },
            }
        ],
    }


# restrict_oom_score_adj: without CAP_SYS_RESOURCE (containers, small VMs) runc
# otherwise dies with "can't get final child's PID from pipe: EOF".
CONTAINERD = f"""\
version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{images.PAUSE}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
{handlers.format_containerd_config()}"""


def _dump_json(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"
