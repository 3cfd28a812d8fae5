"""The chart's ClusterRole for readers is sufficient and minimal: with it alone the answers equal an
administrator's.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.e2e import service_range
from tests.e2e.callers import request_token
from tests.e2e.command import read_diagnosis, run_unstuck, write_kubeconfig

if TYPE_CHECKING:
    from unstuck_lab import Lab

pytestmark = pytest.mark.e2e
checks = pytest.importorskip("unstuck_lab.faults._checks", reason="the lab is not installed")
objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")

NS = "e2e-reader"
RBAC = "rbac.authorization.k8s.io"
# The groups of finalizer-owner-down and namespace-content-remains: types to be listed by the cluster's owner.
CUSTOM = "backup.example.com,queue.example.com"
SCANNED = frozenset(
    (
        "Pod",
        "Node",
        "Namespace",
        "PersistentVolumeClaim",
        "PersistentVolume",
        "Deployment",
        "StatefulSet",
        "DaemonSet",
        "Job",
    )
)
# Answered from objects of many kinds; none affects a node or the cluster.
FAULTS = (
    *(
        "bad-image",
        "big-cpu",
        "claim-in-use",
        "configmap-missing",
        "crash1",
        "finalizer-owner-down",
        "foreground-dependents",
    ),
    *(
        "healthy-deployment",
        "key-missing",
        "namespace-content-remains",
        "pvc-class-missing",
        "resource-claim-missing",
        "selector",
    ),
)


@dataclass(frozen=True)
class Readers:
    """Kubeconfigs: of the administrator, of a reader, and of a reader without access to Secrets."""

    admin: Path
    reader: Path
    without: Path
    questions: list[tuple[str, ...]] = field(default_factory=list)


def cluster_role(lab: Lab, *values: str) -> list[dict[str, Any]]:
    """Return the chart's ClusterRole for `reader` in its values."""
    from unstuck_lab import agent

    chart = str(agent.find_checkout() / "charts" / "unstuck")
    text = lab.run_helm(
        "template",
        "x",
        chart,
        "--show-only",
        "templates/reader.yaml",
        "--set",
        "agent.enabled=false",
        *values,
    )
    found = yaml.safe_load(text)
    assert found["kind"] == "ClusterRole"
    rules: list[dict[str, Any]] = found["rules"]
    return rules


def account(name: str, rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Create a ServiceAccount with exactly these rights in the whole cluster (besides those of every
    user).
    """
    cluster = f"{NS}-{name}"
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": NS}},
        {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": cluster}, "rules": rules},
        {
            "apiVersion": f"{RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": cluster},
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": cluster},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": NS}],
        },
    ]


def kubeconfig(lab: Lab, directory: Path, name: str) -> Path:
    status, answer = request_token(lab, NS, name)
    assert status == 201, answer
    authority = {"certificate-authority": str(lab.paths.pki / "ca.crt")}
    return write_kubeconfig(
        directory / f"{name}.kubeconfig", lab.server, {"token": answer["status"]["token"]}, authority
    )


@pytest.fixture(scope="module")
def readers(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Readers]:
    """Apply faults of many kinds, and two Pods that need a Secret and a Secret's key."""
    if lab.existing:
        pytest.skip("helm is used with the lab's own cluster only")
    from unstuck_lab import fault as catalogue

    there = {f.name for f in catalogue.list_applied(lab)}
    wanted = [catalogue.find(name) for name in FAULTS]
    mine = [f for f in wanted if f.name not in there]
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "db", "namespace": NS},
        "stringData": {"user": "u"},
    }
    pods = [
        objects.make_pod(
            NS,
            name,
            container={
                "env": [{"name": "X", "valueFrom": {"secretKeyRef": {"name": named, "key": "password"}}}]
            },
        )
        for name, named in (("wants-secret", "dbase"), ("wants-key", "db"))
    ]
    try:
        lab.apply(
            objects.make_namespace(NS),
            secret,
            *account("reader", cluster_role(lab, "--set", f"reader.apiGroups={{{CUSTOM}}}")),
            *account("without", cluster_role(lab, "--set", "reader.secrets=false")),
        )
        lab.apply(*pods)
        service_range.apply(lab)
        with ThreadPoolExecutor(len(FAULTS)) as together:
            list(together.map(lambda found: catalogue.inflict(lab, found), mine))
        ripe = time.monotonic() + max(found.ripe for found in wanted)
        for found in wanted:
            catalogue.wait_held(lab, found)
        lab.wait(lambda: checks.find_waiting_reason(lab, NS, "wants-key"), 60, "CreateContainerConfigError")
        # While it may still make progress, the answer depends on the exact time of the question.
        time.sleep(max(ripe - time.monotonic(), 0))
        directory = tmp_path_factory.mktemp("kubeconfigs")
        questions = [(f.subject, *(("-n", f.namespace) if f.namespace else ())) for f in wanted]
        questions.append((f"servicecidr/{service_range.NAME}",))
        yield Readers(
            lab.kubeconfig,
            kubeconfig(lab, directory, "reader"),
            kubeconfig(lab, directory, "without"),
            questions,
        )
    finally:
        with ThreadPoolExecutor(len(FAULTS)) as together:
            list(together.map(lambda found: catalogue.heal(lab, found), mine))
        names = [f"{NS}-reader", f"{NS}-without"]
        lab.run_kubectl("delete", "--ignore-not-found", "clusterrole,clusterrolebinding", *names)
        steps.remove_namespace(lab, NS)
        service_range.heal(lab)


def said(args: tuple[str, ...], kubeconfig: Path) -> dict[str, Any]:
    """Return the stable parts of an answer."""
    found = read_diagnosis(
        run_unstuck("why", *args, "--no-node", "--after", "1s", "-o", "json", kubeconfig=kubeconfig)
    )
    return {
        "state": found["state"],
        "causes": [(c["id"], c["confidence"]) for c in found["causes"]],
        "undecided": sorted(u["id"] for u in found["undecided"]),
    }


def said_to_both(question: tuple[str, ...], readers: Readers) -> list[dict[str, Any]]:
    """Return the answers to the administrator and to the reader at the same moment."""
    with ThreadPoolExecutor(2) as at_once:
        return list(
            at_once.map(lambda kubeconfig: said(question, kubeconfig), (readers.admin, readers.reader))
        )


def test_a_reader_gets_the_answers_of_an_administrator(readers: Readers) -> None:
    differ = {}
    for question in readers.questions:
        # A container may have ended or begun between the two, and objects of an earlier test may still be
        # under deletion.
        for pause in (0, 1, 2, 5, 10, 20):
            time.sleep(pause)
            as_admin, as_reader = said_to_both(question, readers)
            if as_admin == as_reader:
                break
        if as_admin != as_reader:
            differ[question] = (as_admin, as_reader)
    assert differ == {}


@pytest.mark.parametrize(
    ("pod", "cause"), [("wants-secret", "config.secret-missing"), ("wants-key", "config.key-missing")]
)
def test_with_secrets_what_is_missing_is_proven_as_for_an_administrator(
    readers: Readers, pod: str, cause: str
) -> None:
    question = (f"pod/{pod}", "-n", NS)
    as_admin, as_reader = said_to_both(question, readers)
    assert as_reader == as_admin
    assert as_reader["causes"][0] == (cause, "proven")


@pytest.mark.parametrize(
    ("pod", "cause"), [("wants-secret", "config.secret-missing"), ("wants-key", "config.key-missing")]
)
def test_without_secrets_it_is_likely_at_most(readers: Readers, pod: str, cause: str) -> None:
    found = said((f"pod/{pod}", "-n", NS), readers.without)
    assert found["causes"][0] == (cause, "likely")


def test_an_object_of_a_custom_type_is_one_line_where_its_group_is_not_named(readers: Readers) -> None:
    done = run_unstuck(
        "why", "backupplan/nightly", "-n", "f-finalizer-owner-down", kubeconfig=readers.without
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1), done
    assert "not allowed to read" in done.stderr


def test_no_value_of_a_secret_is_ever_shown(readers: Readers) -> None:
    done = run_unstuck("why", "pod/wants-key", "-n", NS, "-o", "json", kubeconfig=readers.reader)
    assert "dQ==" not in done.stdout


def test_a_reader_scans_the_cluster(readers: Readers) -> None:
    done = run_unstuck("scan", "-A", "-o", "json", kubeconfig=readers.reader)
    assert done.returncode in (0, 1, 2) and done.stderr == "", done
    document = json.loads(done.stdout)
    # Besides the causes' reads, a scan looks for deletions in progress; it reports the types it may not list.
    unlisted = document.pop("not_seen", [])
    # The server's words about a refused question; a cause has the bare word in its id.
    assert "is forbidden" not in json.dumps(document)
    assert {(n["fact"], n["why_open"]) for n in unlisted if n["about"]["kind"] != "APIGroup"} <= {
        ("Names", "denied")
    }
    assert not {n["about"]["kind"].removesuffix("List") for n in unlisted} & SCANNED


def test_every_rule_is_used(lab: Lab, readers: Readers) -> None:
    granted = {
        (g, r, v)
        for rule in cluster_role(lab)
        for g in rule["apiGroups"]
        for r in rule["resources"]
        for v in rule["verbs"]
    }
    used = {asked(lab, path) for path in requests(readers)}
    # The chart grants all kinds, even those not served by every release.
    served = set(lab.run_kubectl("api-resources", "--no-headers", "-o", "name").split())
    assert {
        (g, r, v) for g, r, v in granted - used if f"{r.partition('/')[0]}.{g}".rstrip(".") in served
    } == set()


def requests(readers: Readers) -> set[str]:
    """Return all requests to the server for the questions above, and for one object of each of Kubernetes'
    own kinds.
    """
    from unstuck.collect.kube.collector import KubeCollector
    from unstuck.collect.kube.questions.pairs_effects import list_takers
    from unstuck.collect.kube.questions.pairs_rows import TAKERS
    from unstuck.collect.kube.transport.client import load_client
    from unstuck.collect.kube.transport.session import Session
    from unstuck.collect.objects.kinds import BUILTIN, BY_DISCOVERY
    from unstuck.engine import discover, investigate
    from unstuck.errors import UnstuckError
    from unstuck.facts.aspects.admission import AdmissionPolicies
    from unstuck.facts.aspects.references import Namesakes
    from unstuck.facts.core import Ref, Want
    from unstuck.facts.snapshot import Snapshot

    client = load_client(kubeconfig=str(readers.reader))

    def why(kind: str, namespace: str | None, name: str) -> None:
        collector = KubeCollector(client, namespace)
        try:
            ref, facts = collector.start(Ref(kind, namespace, name))
        except UnstuckError:
            return
        investigate(ref, Snapshot(tuple(facts), now()), discover(), collector.collect, 1.0)

    for subject, *where in [*readers.questions, ("pod/wants-secret", "-n", NS)]:
        kind, _, name = subject.partition("/")
        why(kind, where[1] if where else None, name)
    for own in BUILTIN:
        if own.name != "Secret":
            why(own.name, NS if own.namespaced else None, "e2e-there-is-none")
    for named in sorted(BY_DISCOVERY):
        why(named, None, "e2e-there-is-none")
    KubeCollector(client).list_unhealthy(None)
    # Requested only if a kubelet's log names one.
    list(KubeCollector(client).collect([Want(AdmissionPolicies, Ref("Cluster"))]))
    # Requested only if a reference to a missing class of this kind is found.
    list(
        KubeCollector(client).collect(
            [Want(Namesakes, Ref("VolumeAttributesClass", None, "e2e-there-is-none"))]
        )
    )
    # Requested only about a policy that exists.
    list_takers(Session(client, NS), TAKERS["MutatingAdmissionPolicy"], None)
    return set(client.requests)


def now() -> Any:
    from datetime import UTC, datetime

    return datetime.now(UTC).replace(microsecond=0)


def asked(lab: Lab, path: str) -> tuple[str, str, str]:
    """Return group, resource and verb of a GET in the form of the server's authorizer (k8s.io/apiserver
    pkg/endpoints/request).
    """
    parts = path.partition("?")[0].strip("/").split("/")
    group = "" if parts[0] == "api" else parts[1] if len(parts) > 1 else ""
    rest = parts[2:] if parts[0] == "api" else parts[3:]
    if len(rest) > 2 and rest[0] == "namespaces":
        rest = rest[2:]
    if not rest:
        return "", "", ""
    return group, "/".join([rest[0], *rest[2:3]]), "get" if len(rest) > 1 else "list"
