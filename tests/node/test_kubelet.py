"""A recorded node's kubelet: settings, certificates, static Pods, CSI volumes, cgroups and a root behind a
link.
"""

from __future__ import annotations

import base64
import hashlib
import os
import ssl
import subprocess
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import trustme

from tests.node.test_recorded import NODE, NOW, POD, node_at, only
from tests.node.tree import CONTAINER, HOST_MOUNTS, OTHER, UID, V1, V2, Tree
from unstuck.collect.node.answers import answer, survey
from unstuck.collect.node.certificates import serving_fingerprint
from unstuck.collect.node.net import fetch
from unstuck.collect.node.root import Root
from unstuck.collect.node.settings import parse_section
from unstuck.collect.node.view import NodeView
from unstuck.collect.x509 import parse_certificate
from unstuck.facts.aspects import host, kubelet
from unstuck.facts.core import Ref, Refused, Want

CONFIG = """\
apiVersion: kubelet.config.k8s.io/v1beta1
authentication:
  anonymous:
    enabled: false
  x509:
    # whom it trusts
    clientCAFile: /etc/kubernetes/pki/ca.crt
cgroupDriver: systemd
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
evictionHard:
  memory.available: 100Mi
  nodefs.available: "10%"   # of the node
evictionSoft: {imagefs.available: 15%, nodefs.inodesFree: "5%"}
imageGCHighThresholdPercent: 90
logging:
  flushFrequency: 0
  verbosity: 4
rotateCertificates: true
serverTLSBootstrap: true
staticPodPath: /etc/kubernetes/manifests
kind: KubeletConfiguration
"""


def pem(ca: trustme.CA, name: str, until: datetime) -> tuple[str, str]:
    cert = ca.issue_cert(common_name=name, not_after=until)
    return "".join(b.bytes().decode() for b in cert.cert_chain_pems), cert.private_key_pem.bytes().decode()


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = node_at(tmp_path, V2)
    made.write("/var/lib/kubelet/config.yaml", CONFIG)
    return made


def asked(tree: Tree, kind: type, about: Ref = NODE) -> list:
    return list(answer(NodeView(Root(str(tree.root)), NOW), [Want(kind, about)]))


def argv(tree: Tree, more: str) -> None:
    file = tree.root / "proc/700/cmdline"
    file.write_text(file.read_text() + "\0" + more.replace(" ", "\0"))


def test_settings_come_from_flags_then_the_file_then_the_defaults(tree: Tree) -> None:
    argv(tree, "--cgroup-driver=cgroupfs --eviction-hard=memory.available<200Mi,nodefs.inodesFree<5%")
    tree.write(
        "/var/log/kubelet.log",
        'I1121 03:09:00.000000     700 server.go:525] "Kubelet version" kubeletVersion="v1.34.4"\n',
    )
    found = only(asked(tree, kubelet.KubeletConfig), kubelet.KubeletConfig)
    assert found.whole
    assert (found.cgroup_driver, found.runtime_endpoint) == (
        "cgroupfs",
        "unix:///run/containerd/containerd.sock",
    )
    assert found.eviction_hard == (("memory.available", "200Mi"), ("nodefs.inodesFree", "5%"))
    assert found.eviction_soft == (("imagefs.available", "15%"), ("nodefs.inodesFree", "5%"))
    assert (found.image_gc, found.max_pods, found.read_only_port) == ((80, 90), 110, 0)
    assert (found.rotate_certificates, found.server_tls_bootstrap, found.fail_swap_on) == (True, True, True)
    assert (found.verbosity, found.version) == (3, "v1.34.4"), "the flag says -v=3"
    assert found.root_dir == found.real_root == "/var/lib/kubelet"


def test_drop_ins_override_and_one_that_cannot_be_read_leaves_the_settings_open(tree: Tree) -> None:
    argv(tree, "--config-dir=/etc/kubernetes/kubelet.d")
    tree.write("/etc/kubernetes/kubelet.d/10-a.conf", "maxPods: 50\nevictionHard:\n  nodefs.available: 1%\n")
    tree.write("/etc/kubernetes/kubelet.d/20-b.conf", '{"maxPods": 60, "podLogsDir": "/data/pods"}')
    tree.write("/etc/kubernetes/kubelet.d/README", "maxPods: 70\n")
    found = only(asked(tree, kubelet.KubeletConfig), kubelet.KubeletConfig)
    assert (found.max_pods, found.pod_logs_dir, found.whole) == (60, "/data/pods", True)
    assert found.eviction_hard == (("memory.available", "100Mi"), ("nodefs.available", "1%"))
    tree.directory("/etc/kubernetes/kubelet.d/30-c.conf")
    assert not only(asked(tree, kubelet.KubeletConfig), kubelet.KubeletConfig).whole


def test_nested_settings_in_json_and_yaml() -> None:
    assert parse_section('{"a": {"b": {"c": 1, "d": [1], "e": true}}}', "a", "b") == {"c": "1", "e": "true"}
    assert parse_section("a:\n  b:\n    c: 1\n    d:\n    - x: 2\n    e: 'y # z'\n  f: 3\n", "a", "b") == {
        "c": "1",
        "e": "y # z",
    }
    assert (
        parse_section("x:\n  a:\n    b: 1\n", "a")
        == {}
        == parse_section("", "a")
        == parse_section("[1, 2]", "a")
        == parse_section("{" * 100_000, "a")
    )


def test_without_a_kubelet_nobody_says_which_settings_count(tree: Tree) -> None:
    stat = tree.root / "proc/700/stat"
    stat.write_text(stat.read_text().replace("(kubelet)", "(sleep)"))
    for kind in (kubelet.KubeletConfig, kubelet.StaticManifests):
        (refused,) = asked(tree, kind)
        assert isinstance(refused, Refused) and refused.why == "not-offered"


def test_static_pods_by_the_names_of_their_manifests(tree: Tree) -> None:
    spec = "spec: {containers: [{name: c, env: [{name: PASSWORD, value: secret}]}]}\n"
    tree.write("/etc/kubernetes/manifests/.etcd.yaml.swp", "env: secret\n")
    tree.write(
        "/etc/kubernetes/manifests/etcd.yaml",
        f"metadata:\n  labels:\n    name: other\n  name: etcd\n  namespace: kube-system\n{spec}",
    )
    tree.write("/etc/kubernetes/manifests/web.json", '{"metadata": {"name": "web"}}')
    tree.write("/etc/kubernetes/manifests/what.yaml", "env: secret\n")
    found = only(asked(tree, kubelet.StaticManifests), kubelet.StaticManifests)
    assert (found.path, found.names, found.whole) == (
        "/etc/kubernetes/manifests",
        ("etcd.yaml", "web.json", "what.yaml"),
        True,
    )
    assert found.pods == (("etcd.yaml", "kube-system/etcd"), ("web.json", "default/web"))
    assert "secret" not in repr(found)


def test_manifests_that_define_one_pod_in_two_ways(tree: Tree) -> None:
    def read() -> list[tuple[str | None, str | None, tuple[str, ...]]]:
        found = only(asked(tree, kubelet.StaticManifests), kubelet.StaticManifests).rivals
        assert found is not None
        return [(r.pod.within, r.pod.name, r.files) for r in found]

    top = "/etc/kubernetes/manifests"
    tree.directory(top)
    assert read() == []
    tree.write(
        f"{top}/edge.yaml",
        "metadata: {name: edge, namespace: shop}\nspec: {containers: [{name: c, args: [--new]}]}\n",
    )
    tree.write(f"{top}/other.yaml", "metadata: {name: edge}\nspec: {}\n")
    tree.write(
        f"{top}/edge.yaml.bak",
        "# as it was\n" + tree.root.joinpath(f"{top}/edge.yaml".lstrip("/")).read_text(),
    )
    assert read() == [], "another Namespace, and a copy that differs in a comment alone"
    tree.write(
        f"{top}/edge.yaml.bak",
        "metadata: {name: edge, namespace: shop}\nspec: {containers: [{name: c, args: [--old]}]}\n",
    )
    assert read() == [("shop", "edge-node-1", ("edge.yaml", "edge.yaml.bak"))]


def test_certificates_by_their_public_part(tree: Tree) -> None:
    ca = trustme.CA(organization_name="kubernetes")
    ends = datetime(2026, 11, 20, 1, 2, 3, tzinfo=UTC)
    chain, key = pem(ca, "system:node:node-1", ends)
    tree.write("/var/lib/kubelet/pki/kubelet-client-2026.pem", chain + key)
    tree.link(
        "/var/lib/kubelet/pki/kubelet-client-current.pem", "/var/lib/kubelet/pki/kubelet-client-2026.pem"
    )
    tree.write(
        "/var/lib/kubelet/pki/kubelet-server-current.pem",
        key + pem(ca, "node-1", ends + timedelta(days=300))[0],
    )
    tree.write("/var/lib/kubelet/pki/kubelet.crt", pem(ca, "old", ends)[0])
    tree.write("/etc/kubernetes/pki/ca.crt", ca.cert_pem.bytes())
    conf = "users:\n- name: d\n  user:\n    client-certificate: {0}\n    client-key: {0}\n"
    tree.write("/etc/kubernetes/kubelet.conf", conf.format("/var/lib/kubelet/pki/kubelet-client-current.pem"))
    found = only(asked(tree, kubelet.Certificates), kubelet.Certificates)
    assert found.whole and found.unread == ()
    client, serving, trusted = found.items
    assert (client.use, client.subject, client.issuer, client.not_after) == (
        "client",
        "system:node:node-1",
        "kubernetes",
        ends,
    )
    assert (serving.use, serving.path, serving.subject) == (
        "serving",
        "/var/lib/kubelet/pki/kubelet-server-current.pem",
        "node-1",
    )
    assert (trusted.use, trusted.subject, len(trusted.sha256)) == ("ca", "kubernetes", 64)
    assert "PRIVATE" not in repr(found)
    tree.write(
        "/etc/kubernetes/kubelet.conf",
        f"client-certificate-data: {base64.b64encode(chain.encode()).decode()}\nclient-key-data: c2VjcmV0\n",
    )
    inline = only(asked(tree, kubelet.Certificates), kubelet.Certificates).items[0]
    assert (inline.path, inline.not_after) == ("/etc/kubernetes/kubelet.conf", ends)
    tree.write(
        "/etc/kubernetes/kubelet.conf",
        '{"users": [{"user": {"client-certificate": "pki/gone.pem", "client-key": "x"}}]}',
    )
    assert only(asked(tree, kubelet.Certificates), kubelet.Certificates).unread == (
        "/etc/kubernetes/pki/gone.pem",
    )
    tree.write(
        "/etc/kubernetes/kubelet.conf", "# client-certificate: old.pem\ncertificate-authority: nowhere.crt\n"
    )
    found = only(asked(tree, kubelet.Certificates), kubelet.Certificates)
    assert not found.whole and found.unread == ("/etc/kubernetes/nowhere.crt",)
    assert found.items[0].use == "client", "a kubelet that was given a bootstrap file only"
    argv(tree, "--kubeconfig=/etc/kubernetes/gone.conf")
    assert not only(asked(tree, kubelet.Certificates), kubelet.Certificates).whole, (
        "what it names may hold another one"
    )


def test_the_serving_certificate_is_the_one_that_the_settings_name(tree: Tree) -> None:
    def read() -> str:
        return serving_fingerprint(NodeView(Root(str(tree.root)), NOW))

    ca = trustme.CA()
    made = {name: pem(ca, name, datetime(2027, 1, 1, tzinfo=UTC)) for name in ("own", "named")}
    digests = {
        name: hashlib.sha256(ssl.PEM_cert_to_DER_cert(chain)).hexdigest() for name, (chain, _) in made.items()
    }
    tree.write("/var/lib/kubelet/config.yaml", "kind: KubeletConfiguration\n")
    assert read() == ""
    tree.write("/var/lib/kubelet/pki/kubelet.crt", made["own"][0])
    assert read() == digests["own"]
    argv(tree, "--tls-cert-file=/etc/tls.pem")
    assert read() == "", "what it names cannot be read, and the usual one is not in use"
    tree.write("/etc/tls.pem", made["named"][1] + made["named"][0])
    assert read() == digests["named"]


def test_bytes_that_are_no_certificate_never_end_in_a_traceback() -> None:
    der = base64.b64decode("".join(trustme.CA().cert_pem.bytes().decode().splitlines()[1:-1]))
    assert parse_certificate(der).not_after > parse_certificate(der).not_before
    for at in range(len(der)):
        for bad in (der[:at], der[:at] + bytes([der[at] ^ 0xFF]) + der[at + 1 :]):
            try:
                parse_certificate(bad)
            except (ValueError, IndexError):
                continue
    for bad in (b"", b"\x30", b"\x30\x80\0\0", b"\x30\x84\xff\xff\xff\xff", b"\x30" * 5000):
        with pytest.raises((ValueError, IndexError)):
            parse_certificate(bad)


def csi(tree: Tree, name: str, data: str | None) -> None:
    top = f"/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~csi/{name}"
    tree.directory(f"{top}/mount")
    if data is not None:
        tree.write(f"{top}/vol_data.json", data)


def test_csi_volumes_and_the_file_without_which_they_cannot_be_unmounted(tree: Tree) -> None:
    good = '{"driverName":"ebs.csi.aws.com","specVolID":"pvc-1","volumeHandle":"vol-0"}\n'
    csi(tree, "pvc-1", good)
    csi(tree, "pvc-2", None)
    csi(tree, "pvc-3", '{"driverName":')
    csi(tree, "pvc-4", '{"driverName": 7}')
    csi(tree, "pvc-5", good)
    path = tree.root / f"var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~csi/pvc-5/vol_data.json"
    path.unlink()
    path.mkdir()
    top = f"/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~csi"
    (tree.root / "proc/700/mountinfo").write_text(
        HOST_MOUNTS + f"300 27 259:1 / {top}/pvc-2/mount rw - ext4 /dev/nvme1n1 rw\n"
    )
    found = only(asked(tree, kubelet.VolumeData, POD), kubelet.VolumeData)
    assert found.whole and [(i.name, i.data, i.driver, i.mounted) for i in found.items] == [
        ("pvc-1", "present", "ebs.csi.aws.com", False),
        ("pvc-2", "missing", "", True),
        ("pvc-3", "invalid", "", False),
        ("pvc-4", "invalid", "", False),
        ("pvc-5", "unreadable", "", False),
    ]
    assert found.src.quote == "pvc-2/vol_data.json missing"
    none = only(asked(tree, kubelet.VolumeData, Ref("Pod", "shop", "gone", OTHER)), kubelet.VolumeData)
    assert none.whole and none.items == ()


def linked(tmp_path: Path) -> Tree:
    """Put the kubelet's root behind two links; the kernel lists its mounts by the real path."""
    tree = node_at(tmp_path, V2)
    (tree.root / "mnt/disk").mkdir(parents=True)
    (tree.root / "var/lib/kubelet").rename(tree.root / "mnt/disk/kubelet")
    tree.link("/var/lib/kubelet", "/data/kubelet")
    tree.link("/data", "mnt/disk")
    mounts = HOST_MOUNTS.replace(" /var/lib/kubelet/", " /mnt/disk/kubelet/")
    for pid in (700, 1):
        (tree.root / f"proc/{pid}/mountinfo").write_text(mounts)
    return tree


def test_a_root_behind_links_is_found_with_its_mounts(tmp_path: Path) -> None:
    tree = linked(tmp_path)
    tree.write("/mnt/disk/kubelet/config.yaml", CONFIG)
    facts = list(survey(NodeView(Root(str(tree.root)), NOW), UID))
    config = only(facts, kubelet.KubeletConfig)
    assert (config.root_dir, config.real_root) == ("/var/lib/kubelet", "/mnt/disk/kubelet")
    directory = only(facts, host.PodDirectory)
    assert directory.exists and directory.whole and directory.path == f"/mnt/disk/kubelet/pods/{UID}"
    assert [m.fstype for m in only(facts, host.PodMounts).items] == ["tmpfs"]


def test_a_root_on_a_file_system_of_others_is_not_looked_into(tmp_path: Path) -> None:
    tree = linked(tmp_path)
    remote = "70 27 0:80 / /mnt/disk rw - nfs4 10.0.3.7:/vol1 rw\n"
    file = tree.root / "proc/700/mountinfo"
    file.write_text(file.read_text() + remote)
    config = only(asked(tree, kubelet.KubeletConfig), kubelet.KubeletConfig)
    assert config.real_root == "/mnt/disk/kubelet"


def test_links_in_a_ring_end(tmp_path: Path) -> None:
    tree = node_at(tmp_path, V2)
    tree.link("/ring", "/ring")
    argv(tree, "--root-dir=/ring/kubelet")
    assert only(asked(tree, kubelet.KubeletConfig), kubelet.KubeletConfig).real_root == "/ring/kubelet"


def group(facts: list) -> host.PodCgroup:
    return only(facts, host.PodCgroup)


def test_a_pod_frozen_under_the_systemd_driver_of_version_2(tree: Tree) -> None:
    top = "/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice"
    pod = f"{top}/kubepods-burstable-pod{UID.replace('-', '_')}.slice"
    tree.write("/sys/fs/cgroup/kubepods.slice/cgroup.freeze", "0\n")
    tree.write(f"{pod}/cgroup.freeze", "1\n")
    tree.write(f"{pod}/cgroup.events", "populated 1\nfrozen 1\n")
    tree.write(f"{pod}/cri-containerd-{CONTAINER}.scope/left/cgroup.procs", "911\n")
    found = group(asked(tree, host.PodCgroup, POD))
    assert found.stopped == (host.FrozenGroup(pod, 2, "FROZEN", (910, 911)),) and found.frozen == (pod,)
    assert [d.rpartition("/")[2] for d in found.occupied] == [f"cri-containerd-{CONTAINER}.scope", "left"]
    assert len(found.below) == 2 and found.whole
    tree.write(f"{pod}/cgroup.events", "populated 1\nfrozen 0\n")
    assert group(asked(tree, host.PodCgroup, POD)).stopped[0].state == "FREEZING"


def test_a_frozen_parent_and_a_left_child_in_version_1(tmp_path: Path) -> None:
    tree = node_at(tmp_path, V1)
    top = "/sys/fs/cgroup/freezer/kubepods"
    pod = f"{top}/burstable/pod{UID}"
    for path, own, by_parent, state in (
        (top, "1", "0", "FROZEN"),
        (f"{top}/burstable", "0", "1", "FROZEN"),
        (pod, "0", "1", "FROZEN"),
        (f"{pod}/left", "1", "1", "FREEZING"),
    ):
        tree.write(f"{path}/freezer.self_freezing", f"{own}\n")
        tree.write(f"{path}/freezer.parent_freezing", f"{by_parent}\n")
        tree.write(f"{path}/freezer.state", f"{state}\n")
    tree.write(f"{pod}/left/cgroup.procs", "912\n")
    found = group(asked(tree, host.PodCgroup, POD))
    assert found.stopped == (
        host.FrozenGroup(top, 1, "FROZEN", (910, 912)),
        host.FrozenGroup(f"{pod}/left", 1, "FREEZING", (912,)),
    ), "a directory that only inherits it is not the one to thaw"


def test_a_local_answer_that_is_cut_off_drips_or_is_too_long() -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(int(self.path[1:4]))
            self.end_headers()
            self.wfile.write(b"[+]ping ok\n" * (1 if "one" in self.path else 100_000))

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        got: list[bytes] = []
        assert fetch("127.0.0.1", server.server_port, "/200one", 5, got.append, 1000) == 200
        assert b"".join(got) == b"[+]ping ok\n"
        assert fetch("127.0.0.1", server.server_port, "/500one", 5, got.append, 1000) == 500
        assert fetch("127.0.0.1", server.server_port, "/200", 5, got.append, 1000) == 0
        server.shutdown()
    assert fetch("127.0.0.1", server.server_port, "/200", 1, got.append, 1000) is None


def test_what_a_kubelet_says_is_not_asked_of_a_recorded_one(tree: Tree) -> None:
    argv(tree, f"--read-only-port={os.getpid() % 60000 + 1024}")
    for kind, about in (
        (kubelet.KubeletHealth, NODE),
        (kubelet.KubeletPods, NODE),
        (kubelet.KubeletMetrics, NODE),
        (kubelet.KubeletPod, POD),
    ):
        (refused,) = asked(tree, kind, about)
        assert isinstance(refused, Refused) and refused.why == "not-offered"
    assert NOW.tzinfo is UTC


def test_processes_of_another_pid_namespace_are_counted_where_they_are(tmp_path: Path) -> None:
    tree = node_at(tmp_path, V1)
    top = "/sys/fs/cgroup/pids"
    pod = f"{top}/kubepods/burstable/pod{UID}"
    tree.write(f"{top}/cgroup.procs", "1\n")
    for path, count in ((pod, 1), (f"{pod}/left", 1), (f"{pod}/empty", 0)):
        tree.write(f"{path}/cgroup.procs", "")
        tree.write(f"{path}/pids.current", f"{count}\n")
    found = group(asked(tree, host.PodCgroup, POD))
    assert 0 in found.procs and f"{pod}/left" in found.occupied
    assert pod not in found.occupied and f"{pod}/empty" not in found.occupied


def test_processes_that_cgroup_procs_does_not_show_are_known_by_their_own_words(tmp_path: Path) -> None:
    """A reader in another PID namespace, such as an agent's container, finds cgroup.procs empty."""
    tree = node_at(tmp_path, V1)
    pod = f"/sys/fs/cgroup/freezer/kubepods/burstable/pod{UID}"
    tree.write(f"{pod}/freezer.self_freezing", "1\n")
    tree.write(f"{pod}/{CONTAINER}/cgroup.procs", "")
    tree.write(f"{pod}/left/cgroup.procs", "")
    tree.process(
        930, "sleep", cgroup=f"6:freezer:/../../kubepods/burstable/pod{UID}/left\n4:memory:/\n0::/\n"
    )
    found = group(asked(tree, host.PodCgroup, POD))
    (frozen,) = [g for g in found.stopped if g.path == pod]
    assert frozen.pids == (910, 930), "the sandbox's own directory is not among those that exist"
    assert f"{pod}/left" in found.occupied


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="the collector is run as root")
def test_the_shell_collector_gives_certificates_and_never_a_key(tmp_path: Path) -> None:
    """Its function alone, with files of our own: the node that the tests run on has no kubelet."""
    ca = trustme.CA()
    chain, key = pem(ca, "system:node:n", datetime(2027, 1, 1, tzinfo=UTC))
    secret = base64.b64encode(key.encode()).decode()
    client = tmp_path / "client.pem"
    client.write_text(key + chain)
    script = (
        (Path(__file__).parents[2] / "src/unstuck/collect/script/collect.sh")
        .read_text()
        .removesuffix("\nmain\n")
    )
    for conf in (
        f"users:\n- user:\n    client-certificate: {client}\n    client-key-data: {secret}\n",
        f'{{"users": [{{"user": {{"client-certificate": "client.pem", "client-key-data": "{secret}"}}}}]}}',
        f"client-certificate-data: {base64.b64encode(chain.encode()).decode()}\nclient-key-data: {secret}\n",
    ):
        (tmp_path / "kubelet.conf").write_text(conf)
        args = f"args='--kubeconfig={tmp_path}/kubelet.conf'\ntop={tmp_path}\nconfig=\ncertificates\n"
        ran = subprocess.run(
            ["sh", "-c", f"{script}\n{args}"], check=False, capture_output=True, text=True, timeout=60
        )
        assert "CERTIFICATE" in ran.stdout or "client-certificate-data" in ran.stdout, ran.stderr
        assert (
            "PRIVATE" not in ran.stdout and secret[:40] not in ran.stdout and "client-key" not in ran.stdout
        )
        assert (str(client) in ran.stdout) == ("client.pem" in conf)
