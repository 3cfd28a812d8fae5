"""Network plugins' errors about the node's network agent and the connection to the API server.

Source: projectcalico/calico cni-plugin/pkg/plugin/plugin.go, flannel cni-plugin flannel.go, cilium plugins/cilium-cni,
aws amazon-vpc-cni-k8s cmd/routed-eni-cni-plugin, ovn-kubernetes go-controller/pkg/cni, multus pkg/server/api.
"""

from __future__ import annotations

from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_NET: tuple[Operation, ...] = ("network-set-up", "network-tear-down", "sandbox-create")
_H = 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "0a": plugin type="x" failed (add): '
_DEAD = r"(?:connect|getsockopt): (?:connection refused|no such file or directory)"

CALLS: tuple[Call, ...] = (
    Call(
        words(
            r"Error (?:while )?adding (?:to )?(?:cni )?network|Error adding \S{1,400} to network \S{1,100}:"
        ),
        "network-set-up",
        ("error adding", "error while adding"),
        (Seen("kubelet (dockershim)", "1.5–1.23", "pkg/kubelet/dockershim/network/cni/cni.go"),),
        (
            Example(
                "Error adding network: no IP addresses available in network: cbr0",
                "network-set-up addresses-exhausted",
            ),
            Example(
                "Error while adding to cni network: stat /var/lib/calico/nodename: no such file or directory: check that the calico/node container is running",
                "network-set-up agent-down key=calico/node",
            ),
        ),
    ),
)


def _make_agent_error(regex: str, need: tuple[str, ...], seen: Seen, examples: tuple[Example, ...]) -> Error:
    return Error(
        words(regex), "agent-down", need, (seen,), examples, Rank.NAMED, "network-set-up", within=_NET
    )


ERRORS: tuple[Error, ...] = (
    Error(
        words(r"\bUnauthorized\b|the server has asked for the client to provide credentials"),
        "unauthorized",
        ("unauthorized", "provide credentials"),
        (
            Seen("Calico CNI", "3.0–3.31", "libcalico-go/lib/backend/k8s/resources/errors.go"),
            Seen("Multus", "3–4", "pkg/k8sclient/k8sclient.go"),
        ),
        (
            Example(
                f"{_H}error getting ClusterInformation: connection is unauthorized: Unauthorized",
                "network-set-up unauthorized",
            ),
            Example(
                f"{_H}Multus: [shop/web/0a1b]: error waiting for pod: Unauthorized",
                "network-set-up unauthorized",
            ),
        ),
        Rank.NAMED,
        within=_NET,
    ),
    _make_agent_error(
        r"/run/(?P<key>flannel)/subnet\.env: no such file or directory",
        ("subnet.env",),
        Seen("flannel CNI", "0.1–1.7", "flannel.go (loadFlannelSubnetEnv)"),
        (
            Example(
                f"{_H}loadFlannelSubnetEnv failed: open /run/flannel/subnet.env: no such file or directory",
                "network-set-up agent-down key=flannel",
            ),
            Example(
                f"{_H}open /run/flannel/subnet.env: no such file or directory",
                "network-set-up agent-down key=flannel",
            ),
            Example(
                "open /run/flannel/subnet.env: no such file or directory",
                "network-set-up agent-down key=flannel",
            ),
        ),
    ),
    _make_agent_error(
        r"check that the (?P<key>calico[/-]node) container is running",
        ("check that the calico",),
        Seen("Calico CNI", "2.6–3.31", "cni-plugin/pkg/plugin/plugin.go"),
        (
            Example(
                f"{_H}stat /var/lib/calico/nodename: no such file or directory: check that the calico-node container is running and has mounted /var/lib/calico/",
                "network-set-up agent-down key=calico-node",
            ),
            Example(
                f"{_H}open /var/lib/calico/nodename: no such file or directory: check that the calico-node container is running",
                "network-set-up agent-down key=calico-node",
            ),
        ),
    ),
    _make_agent_error(
        r"unable to connect to (?P<key>Cilium) (?:daemon|agent)|/var/run/(?P<key_2>cilium)/cilium\.sock: "
        + _DEAD,
        ("cilium",),
        Seen("Cilium CNI", "1.6–1.18", "plugins/cilium-cni/cmd/cmd.go"),
        (
            Example(
                f"{_H}unable to connect to Cilium agent: failed to create cilium agent client after 30.000000 seconds timeout: Get "
                '"http://localhost/v1/config": dial unix /var/run/cilium/cilium.sock: connect: no such file or directory',
                "network-set-up agent-down key=cilium",
            ),
            Example(
                f"{_H}dial unix /var/run/cilium/cilium.sock: connect: connection refused",
                "network-set-up agent-down key=cilium",
            ),
        ),
    ),
    _make_agent_error(
        r"dial tcp 127\.0\.0\.1:(?P<key>50051|6784): (?:connect|getsockopt): connection refused|"
        r"dial unix (?P<path>/\S{0,100}(?:multus|ovn-cni-server|antrea|kube-ovn-daemon|kuryr|spiderpool|terway)[^\s:\"]{0,100}): "
        + _DEAD,
        ("127.0.0.1:50051", "127.0.0.1:6784", "dial unix"),
        Seen("Amazon VPC CNI, Weave, Multus, OVN-Kubernetes, Antrea, Kube-OVN", "all"),
        (
            Example(
                f'{_H}add cmd: Error received from AddNetwork gRPC call: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while '
                'dialing: dial tcp 127.0.0.1:50051: connect: connection refused"',
                "network-set-up agent-down key=50051",
            ),
            Example(
                "Error while adding to cni network: unable to allocate IP address: Post http://127.0.0.1:6784/ip/28d4: dial tcp 127.0.0.1:6784: getsockopt: "
                "connection refused",
                "network-set-up agent-down key=6784",
            ),
            Example(
                f'{_H}CmdAdd (shim): failed to send CNI request: Post "http://dummy/cni": dial unix /run/multus/multus.sock: connect: no such file or directory',
                "network-set-up agent-down path=/run/multus/multus.sock",
            ),
        ),
    ),
    _make_agent_error(
        r"error dialing DHCP daemon: dial unix (?P<path>/\S{1,200}?): " + _DEAD,
        ("dhcp daemon",),
        Seen("CNI dhcp", "0.5–1.7", "plugins/ipam/dhcp/main.go (rpcCall)"),
        (
            Example(
                f"{_H}error dialing DHCP daemon: dial unix /run/cni/dhcp.sock: connect: no such file or directory",
                "network-set-up agent-down path=/run/cni/dhcp.sock",
            ),
            Example(
                f"{_H}error dialing DHCP daemon: dial unix /var/run/cni/dhcp.sock: connect: connection refused",
                "network-set-up agent-down path=/var/run/cni/dhcp.sock",
            ),
        ),
    ),
    Error(
        words(
            r"(?:error getting ClusterInformation: |Get \"?)[^\n]{0,20}?(?:Get \"?)?https://\[?(?P<host>[0-9a-f.:]{3,45}\]?:443)/[^\n]{0,300}?"
            r"(?:i/o timeout|no route to host|connection refused|context deadline exceeded|network is unreachable)"
        ),
        "service-unreachable",
        ("https://",),
        (
            Seen("Calico CNI", "3.0–3.31", "cni-plugin/pkg/plugin/plugin.go"),
            Seen("Multus, OVN, whereabouts", "all"),
        ),
        (
            Example(
                f'{_H}error getting ClusterInformation: Get "https://10.96.0.1:443/apis/crd.projectcalico.org/v1/clusterinformations/default": dial tcp '
                "10.96.0.1:443: i/o timeout",
                "network-set-up service-unreachable host=10.96.0.1:443",
            ),
            Example(
                f'{_H}Multus: error getting pod: Get "https://10.43.0.1:443/api/v1/namespaces/f/pods/p?timeout=1m0s": dial tcp 10.43.0.1:443: connect: no route to host',
                "network-set-up service-unreachable host=10.43.0.1:443",
            ),
        ),
        Rank.NAMED,
        within=("network-set-up",),
    ),
    Error(
        words(
            r"Failed to (?:list|watch|get) [^\n]{0,300}?Get \"?https://(?P<host>(?:10|172|192)\.[\d.]{5,11}:443)/[^\n]{0,300}?dial tcp [^\n]{0,60}?"
            r"(?:i/o timeout|no route to host|connection refused)"
        ),
        "apiserver-unreachable",
        ("failed to list", "failed to watch", "failed to get"),
        (Seen("client-go", "all", "tools/cache/reflector.go"),),
        (
            Example(
                'E0122 06:56:04.774977 1 reflector.go:199] Failed to list *v1.Service: Get "https://10.96.0.1:443/api/v1/services?limit=500": dial tcp 10.96.0.1:443: i/o timeout',
                "apiserver-reach apiserver-unreachable host=10.96.0.1:443",
            ),
            Example(
                "Failed to watch *v1.Endpoints: failed to list *v1.Endpoints: Get https://172.20.0.1:443/api/v1/endpoints: dial tcp 172.20.0.1:443: connect: no route to host",
                "apiserver-reach apiserver-unreachable host=172.20.0.1:443",
            ),
        ),
        Rank.NAMED,
        "apiserver-reach",
        within=("apiserver-reach",),
    ),
)
