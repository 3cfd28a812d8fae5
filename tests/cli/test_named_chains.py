"""From a workload through its Pod's messages, a Service and the Service's Pods to the root cause, within a
question's budget.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_named import SPACE, Err, ask, crashing, deployment, roots, service, told
from tests.kube import small as server
from tests.kube.small import LONG_AGO, make_object, make_pod

Doc = dict[str, Any]


def waiting_for_its_proxy(name: str, **meta: Any) -> Doc:
    """Return a Pod with a running sidecar, and a startup probe without success for two minutes."""
    one = make_pod(name, SPACE, "Init:0/1", {"reason": "PodInitializing"}, **meta)
    probe = {"exec": {"command": ["test", "-f", "/ready"]}, "periodSeconds": 1, "failureThreshold": 600}
    one["spec"]["initContainers"] = [
        {
            "name": "proxy",
            "image": "registry.example.com/p:1",
            "restartPolicy": "Always",
            "startupProbe": probe,
        }
    ]
    since = (datetime.now(UTC) - timedelta(minutes=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
    running = {
        "name": "proxy",
        "ready": False,
        "started": False,
        "restartCount": 0,
        "state": {"running": {"startedAt": since}},
    }
    one["status"]["initContainerStatuses"] = [running]
    one["status"]["conditions"] = [
        {**c, "status": "True" if c["type"] == "PodScheduled" else "False"}
        for c in one["status"]["conditions"]
    ]
    return one


@pytest.mark.parametrize("subject", ["deploy/quotes", "pod/quotes-1"])
def test_a_workload_leads_to_the_file_of_the_server_that_its_proxy_misses(
    tmp_path: Path, capsys: Err, subject: str
) -> None:
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": "quotes-7c9d",
        "uid": "uid-replicaset-quotes-7c9d",
        "controller": True,
    }
    labels = {"app": "quotes"}
    workload = deployment("quotes", 1, labels, replicas=1, updatedReplicas=1, unavailableReplicas=1)
    of_workload = {**owner, "kind": "Deployment", "name": "quotes", "uid": "uid-deployment-quotes"}
    generation = make_object(
        "ReplicaSet",
        "quotes-7c9d",
        SPACE,
        meta={"ownerReferences": [of_workload], "labels": labels},
        spec={"replicas": 1, "selector": {"matchLabels": labels}},
        status={"replicas": 1},
    )
    head = crashing("head-1", labels={"app": "head"})
    head["spec"]["containers"][0]["volumeMounts"] = [{"name": "config", "mountPath": "/etc/mesh"}]
    head["spec"]["volumes"] = [{"name": "config", "configMap": {"name": "mesh-config"}}]
    objects = [
        workload,
        generation,
        waiting_for_its_proxy("quotes-1", ownerReferences=[owner], labels=labels),
        service("head", app="head"),
        head,
    ]
    lines = {
        "quotes-1": (
            "warning envoy grpc_stream.h:155 config stream closed: dial tcp: connect to "
            "head.default.svc:6379: connection refused"
        ),
        "head-1": (
            "Error: failed to read configuration file /etc/mesh/main: yaml: line 3: found character that "
            "cannot start any token"
        ),
    }
    status, answer, cluster = ask(objects, tmp_path, capsys, subject, lines=lines)
    assert status == 1 and roots(answer) == ["program.config-unparsable"], (answer["headline"], told(answer))
    assert (
        "container.init-waiting" in told(answer)
        and "ConfigMap mesh-config" in answer["causes"][0]["says"]["en"]
    )
    assert len(cluster.asked) <= 30, [p for p, _ in cluster.asked]


# The certificate of portal.acme.example, expired on 2026-10-24.
_EXPIRED = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJVekNCK3FBREFnRUNBZ0VITUFvR0NDcUdTTTQ5QkFNQ01CY3hGVEFUQmdOVkJBTU1ER0ZqYldVZ2RH"
    "VnoKZENCallUQWVGdzB5TlRFd01qUXdNREF3TURCYUZ3MHlOakV3TWpRd01EQXdNREJhTUI0eEhEQWFCZ05WQkFNTQpFM0J2Y25SaGJDNWhZMjFsTG1WNFlX"
    "MXdiR1V3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVREClEwa1BaeklJTWVZdmV1NU5CRjQvaHAzYlFsUUxmY0ZXN2JJOEpOTHhlV2VTUzJm"
    "VUpVZ3AySkxRRG9pNGw1cVAKbUFoRFA0Vkc1V2djd0o2RFF4RWNvekF3TGpBZUJnTlZIUkVFRnpBVmdoTndiM0owWVd3dVlXTnRaUzVsZUdGdApjR3hsTUF3"
    "R0ExVWRFd0VCL3dRQ01BQXdDZ1lJS29aSXpqMEVBd0lEU0FBd1JRSWhBUFM2emFNOG0vZ0NFU1ZJCkhPMCtBSEtRSDBrZW9zZDNkTU11ZlVKRy9JYW1BaUJm"
    "MjEwQ0RpT2xTeG9hd1ZGdzNoM01zRXpkMVFBUDAxbTQKQ1RyMGlJUFlxdz09Ci0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K"
)


def test_an_ingress_with_an_address_leads_to_the_certificate_that_has_expired(
    tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(server.KINDS, "ingresses", ("Ingress", "networking.k8s.io/v1", True))
    monkeypatch.setitem(server.KINDS, "secrets", ("Secret", "v1", True))
    host = "portal.acme.example"
    spec = {
        "ingressClassName": "nginx",
        "tls": [{"hosts": [host], "secretName": "portal-tls"}],
        "rules": [{"host": host}],
    }
    ingress = make_object(
        "Ingress", "portal", SPACE, spec=spec, status={"loadBalancer": {"ingress": [{"ip": "192.0.2.20"}]}}
    )
    secret = make_object(
        "Secret",
        "portal-tls",
        SPACE,
        type="kubernetes.io/tls",
        data={"tls.crt": _EXPIRED, "tls.key": "c2VzYW1lb3Blbg=="},
    )
    status, answer, cluster = ask([ingress, secret], tmp_path, capsys, "ingress/portal")
    assert (
        status == 1
        and roots(answer) == ["reference.certificate-unfit"]
        and "expired on 2026-10-24" in answer["headline"]["en"]
    )
    assert not any(word in str(answer) for word in ("sesameopen", "c2VzYW1l", _EXPIRED[:40]))
    assert sum(path.endswith("/secrets/portal-tls") for path, _ in cluster.asked) == 1
    lacking, answer, _ = ask([ingress], tmp_path, capsys, "ingress/portal")
    # Its controller then presents its own certificate, which clients refuse.
    assert lacking == 1 and roots(answer) == ["reference.target-missing"]


def forbidden(name: str) -> tuple[Doc, dict[str, str]]:
    """Return a Pod with a program denied access to a Deployment of another Namespace, and its log."""
    one = crashing(name)
    one["spec"]["serviceAccountName"] = "restarter"
    words = (
        'Error from server (Forbidden): deployments.apps "reports" is forbidden: User '
        '"system:serviceaccount:default:restarter" cannot get '
        'resource "deployments" in API group "apps" in the namespace "reports"'
    )
    return one, {name: words}


def test_a_refused_right_leads_to_the_role_of_its_binding_that_does_not_exist(
    tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch
) -> None:
    rbac = "rbac.authorization.k8s.io/v1"
    monkeypatch.setitem(server.KINDS, "rolebindings", ("RoleBinding", rbac, True))
    monkeypatch.setitem(server.KINDS, "clusterroles", ("ClusterRole", rbac, False))
    subjects = [{"kind": "ServiceAccount", "name": "restarter", "namespace": SPACE}]
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "deployment-restarter"}
    binding = make_object("RoleBinding", "nightly-restart", "reports", subjects=subjects, roleRef=role)
    program, lines = forbidden("restart-1")
    status, answer, cluster = ask([program, binding], tmp_path, capsys, "pod/restart-1", lines=lines)
    first = answer["causes"][0]
    assert status == 1 and roots(answer) == ["program.forbidden-by-rbac"]
    assert (
        "RoleBinding nightly-restart gives it ClusterRole deployment-restarter, which does not exist"
        in first["says"]["en"]
    )
    assert sum("rbac" in path for path, _ in cluster.asked) == 2
    _, answer, _ = ask(
        [program, binding, make_object("ClusterRole", "deployment-restarter", rules=[])],
        tmp_path,
        capsys,
        "pod/restart-1",
        lines=lines,
    )
    assert "does not exist" not in answer["causes"][0]["says"]["en"]
    assert any("deployment-restarter" in step["says"]["en"] for step in answer["causes"][0]["help"])


def test_a_missing_secret_leads_to_who_is_to_write_it_and_on(
    tmp_path: Path, capsys: Err, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(server.KINDS, "ingresses", ("Ingress", "networking.k8s.io/v1", True))
    monkeypatch.setitem(server.KINDS, "secrets", ("Secret", "v1", True))
    monkeypatch.setitem(server.KINDS, "certificates", ("Certificate", "cert-manager.io/v1", True))
    monkeypatch.setitem(server.KINDS, "issuers", ("Issuer", "cert-manager.io/v1", True))
    spec = {"ingressClassName": "nginx", "tls": [{"hosts": ["a.example"], "secretName": "a-tls"}]}
    ingress = make_object(
        "Ingress", "a", SPACE, spec=spec, status={"loadBalancer": {"ingress": [{"ip": "192.0.2.20"}]}}
    )
    waits = {
        "type": "Ready",
        "status": "False",
        "reason": "DoesNotExist",
        "message": "the Secret is not there",
        "lastTransitionTime": LONG_AGO,
    }
    wanted = {"secretName": "a-tls", "issuerRef": {"name": "letsencrypt"}}
    certificate = make_object("Certificate", "a-cert", SPACE, spec=wanted, status={"conditions": [waits]})
    _, answer, _ = ask([ingress, certificate], tmp_path, capsys, "ingress/a")
    assert (
        answer["causes"][0]["culprit"]["name"] == "letsencrypt"
        and answer["causes"][0]["confidence"] == "proven"
    )
    assert [c["culprit"]["name"] for c in answer["causes"] if c["consequence_of"] is None] == ["letsencrypt"]
