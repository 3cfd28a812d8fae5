"""The bundles of known collectors: the meaning of their paths, and a container's output never passes for the
kubelet's.
"""

from __future__ import annotations

import json

import pytest
import yaml

from tests.bundle.make import make_tar
from tests.text.formats import SAMPLES, UID
from tests.text.support import DESCRIBE, NOW, YAML, pick
from tests.text.test_lines import TEARDOWN
from unstuck.collect.bundle import BundleResult, read_bundle
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.kernel import KernelEvents
from unstuck.facts.aspects.objects import Failure, Phase
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.aspects.space import DiskSpace
from unstuck.facts.core import Ref

POD = yaml.safe_load(YAML)
PODS = json.dumps({"kind": "PodList", "apiVersion": "v1", "items": [POD]}, indent=4).encode()
LIST = yaml.safe_dump({"kind": "List", "apiVersion": "v1", "items": [POD]}).encode()
# A message that is a fact from a kubelet but foreign text from a container.
KUBELET = TEARDOWN.format(second=1, uid=UID) + "\n"
STRANGER = f"{KUBELET}password=hunter2 and on\nthe last words\n".encode()
JOURNAL = f"Nov 21 00:07:01 node-1 kubelet[4242]: {KUBELET}".encode()


def plain(sample: str) -> bytes:
    """Return the text without its prompt."""
    return "\n".join(
        line for line in SAMPLES[sample].split("\n") if not line.startswith(("[root@", "root@"))
    ).encode()


BUNDLES: dict[str, dict[str, bytes]] = {
    "cluster-info dump": {
        "f/pods.json": PODS,
        "nodes.json": b'{"kind": "NodeList", "items": []}',
        "f/p/logs.txt": STRANGER,
    },
    "must-gather": {
        "must-gather.local.1/quay-io-x/namespaces/f/core/pods.yaml": LIST,
        "must-gather.local.1/quay-io-x/namespaces/f/pods/p/c/c/logs/current.log": STRANGER,
        "must-gather.local.1/quay-io-x/host_service_logs/masters/kubelet_service.log": JOURNAL,
    },
    "troubleshoot.sh": {
        "support-bundle-1/cluster-resources/pods/f.json": PODS,
        "support-bundle-1/cluster-resources/pods/logs/f/p/c.log": STRANGER,
        "support-bundle-1/version.yaml": b"apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\n",
    },
    "sosreport": {
        "sosreport-node-1-2026-11-21-abcdefg/sos_commands/filesys/df_-al_-x_autofs": plain("df"),
        "sosreport-node-1-2026-11-21-abcdefg/sos_commands/kernel/dmesg_-T": plain("dmesg"),
        "sosreport-node-1-2026-11-21-abcdefg/var/log/messages": JOURNAL,
        f"sosreport-node-1-2026-11-21-abcdefg/var/log/pods/f_p_{UID}/c/0.log": STRANGER,
    },
    "Rancher": {
        "node-1-2026-11-21_00_07_01/systeminfo/dmesg": plain("dmesg"),
        "node-1-2026-11-21_00_07_01/systeminfo/dfh": plain("df"),
        "node-1-2026-11-21_00_07_01/journald/kubelet": JOURNAL,
        f"node-1-2026-11-21_00_07_01/k8s/podlogs/k8s_c_p_f_{UID}_0": STRANGER,
        "node-1-2026-11-21_00_07_01/k8s/kubectl/pods": b"NAMESPACE  NAME  READY  STATUS   RESTARTS  AGE\nf          p     1/1    Running  0         5m\n",
    },
    "EKS": {
        "./kernel/dmesg.human.current": plain("dmesg"),
        "./storage/mounts.txt": plain("mount") + plain("df"),
        "./kubelet/kubelet.log": JOURNAL,
        f"./var_log/p_f_c-{'5' * 64}.log": STRANGER,
    },
    "files of any name": {
        "1": DESCRIBE.encode(),
        "out.txt": KUBELET.encode(),
        "node-1 disk": SAMPLES["df"].encode(),
        "dm": plain("dmesg"),
    },
}


def reading(name: str) -> BundleResult:
    return read_bundle("b", NOW, data=make_tar(BUNDLES[name]))


@pytest.mark.parametrize("name", sorted(BUNDLES))
def test_a_bundle_is_read_and_every_member_understood(name: str) -> None:
    got = reading(name)
    assert got.notes == []
    assert [m for m in got.not_understood if "version.yaml" not in m] == []
    assert got.read == len(BUNDLES[name])


@pytest.mark.parametrize("name", ["cluster-info dump", "must-gather", "troubleshoot.sh"])
def test_a_clusters_objects_are_told(name: str) -> None:
    assert (Ref("Pod", "f", "p", UID), "Running") in {
        (f.about, f.phase) for f in pick(reading(name).facts, Phase)
    }


@pytest.mark.parametrize("name", sorted(set(BUNDLES) - {"files of any name"}))
def test_a_containers_words_are_kept_as_its_own(name: str) -> None:
    found = reading(name).facts
    (last,) = pick(found, LastLines)
    assert (last.about.within, last.about.name) == ("f/p", None if name == "cluster-info dump" else "c")
    assert last.lines[-1] == "the last words" and "hunter2" not in repr(found)
    told = [f for f in pick(found, Failure) if f.operation == "volume-tear-down"]
    assert len(told) == (1 if any(b is JOURNAL for b in BUNDLES[name].values()) else 0)


@pytest.mark.parametrize("name", ["sosreport", "Rancher"])
def test_the_machine_is_named_by_the_bundle(name: str) -> None:
    found = reading(name).facts
    for kind in (DiskSpace, KernelEvents, LogSeen):
        assert {f.about for f in pick(found, kind)} == {Ref("Node", None, "node-1")}


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("must-gather.local.1/q/audit_logs/kube-apiserver/node-1-audit.log", 0),
        ("must-gather.local.1/q/audit_logs/openshift-apiserver/node-1-audit-2026-11-21T00-07-01.123.log", 0),
        ("x/var/log/kube-apiserver/audit.log", 0),
        ("sosreport-node-1-2026-11-21-abcdefg/var/log/audit/audit.log", 1),
    ],
)
def test_who_asked_the_api_server_for_what_is_passed_over(name: str, read: int) -> None:
    assert read_bundle("b", NOW, data=make_tar({name: JOURNAL})).read == read
