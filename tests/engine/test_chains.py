"""A question leads from each unhealthy object to the one with its own reason."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.stages.test_referred import asked, made
from unstuck.diagnosis.answer import Diagnosis
from unstuck.facts.aspects.objects import Below
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.aspects.protection import Users
from unstuck.facts.aspects.services import Behind, ServicePods, ServicesAt, ServiceWorkloads
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.record import replace
from unstuck.wording.program.read import find_complaint

NOW = datetime(2026, 11, 21, 3, 0, 0, tzinfo=UTC)
Doc = dict[str, Any]


def falling(name: str, namespace: str, code: int = 1) -> Doc:
    """Return a Pod with one repeatedly ending container."""
    ended = {
        "exitCode": code,
        "reason": "Error",
        "startedAt": "2026-11-21T02:58:00Z",
        "finishedAt": "2026-11-21T02:58:01Z",
    }
    status = {
        "phase": "Running",
        "conditions": [
            {"type": "PodScheduled", "status": "True"},
            {"type": "Initialized", "status": "True"},
            {
                "type": "Ready",
                "status": "False",
                "reason": "ContainersNotReady",
                "lastTransitionTime": "2026-11-21T02:00:00Z",
            },
        ],
        "containerStatuses": [
            {
                "name": "c",
                "restartCount": 4,
                "containerID": "containerd://0a1b",
                "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                "lastState": {"terminated": ended},
            }
        ],
    }
    return made(
        "v1", "Pod", name, namespace, spec={"nodeName": "n1", "containers": [{"name": "c"}]}, status=status
    )


def log(namespace: str, pod: str, *lines: str) -> LastLines:
    about = Ref("Container", f"{namespace}/{pod}", "c")
    return LastLines(
        about=about,
        src=Source(f"/log/{pod}", lines[-1]),
        lines=lines,
        previous=True,
        complaint=find_complaint(lines),
    )


def roots(found: Diagnosis) -> list[str]:
    return [c.id for c in found.causes if c.consequence_of is None]


def test_a_name_that_nobody_answers_leads_to_the_pods_of_the_dns_and_why_they_fall() -> None:
    spec = {
        "selector": {"k8s-app": "kube-dns"},
        "clusterIP": "10.96.0.10",
        "ports": [{"port": 53, "protocol": "UDP"}],
    }
    dns = made("v1", "Service", "kube-dns", "kube-system", spec=spec)
    service = Ref("Service", "kube-system", "kube-dns")
    behind = Behind("coredns-1", False)
    facts: tuple[Fact, ...] = (
        log(
            "mail",
            "sender",
            "Error: getaddrinfo EAI_AGAIN smtp.mail.svc.cluster.local (nameserver 10.96.0.10)",
        ),
        log(
            "kube-system",
            "coredns-1",
            '[FATAL] plugin/loop: Loop (127.0.0.1:40805 -> :53) detected for zone "."',
        ),
        ServicesAt(about=Ref("Address", None, "10.96.0.10"), src=Source("/services"), services=(service,)),
        ServicePods(about=service, src=Source("/pods"), matched=(behind,), total=1),
    )
    found = asked(falling("sender", "mail"), dns, falling("coredns-1", "kube-system"), facts=facts)
    first = found.causes[0]
    assert roots(found) == ["program.forwarding-loop"] and "Loop" in first.finding.says.en
    assert str(first.via) == str(Ref("Pod", "kube-system", "coredns-1", "Pod-coredns-1"))
    assert any(c.id == "program.dns-unanswered" and c.consequence_of is not None for c in found.causes)


def flux(kind: str, group: str, name: str, spec: Doc, reason: str, message: str) -> Doc:
    ready = {
        "type": "Ready",
        "status": "False",
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-11-21T01:00:00Z",
    }
    status = {"observedGeneration": 1, "conditions": [{**ready, "observedGeneration": 1}]}
    return made(
        f"{group}.toolkit.fluxcd.io/v1", kind, name, "flux", spec=spec, status=status, meta={"generation": 1}
    )


def test_what_waits_for_another_of_its_kind_leads_to_the_source_that_is_refused() -> None:
    source = {"kind": "GitRepository", "name": "fleet"}
    apps = flux(
        "Kustomization",
        "kustomize",
        "apps",
        {"dependsOn": [{"name": "infra"}], "sourceRef": source},
        "DependencyNotReady",
        "dependency 'flux/infra' is not ready",
    )
    infra = flux(
        "Kustomization",
        "kustomize",
        "infra",
        {"sourceRef": source},
        "ArtifactFailed",
        "Source artifact not found, retrying in 30s",
    )
    fleet = flux(
        "GitRepository",
        "source",
        "fleet",
        {"url": "ssh://git@git.example.com/fleet"},
        "GitOperationFailed",
        "ssh: unable to authenticate",
    )
    found = asked(apps, infra, fleet)
    told = [(c.id, c.via and c.via.name, c.consequence_of) for c in found.causes]
    assert told[0] == ("reported.own-words", "fleet", None) and len(roots(found)) == 1, told
    assert any(via is None or via == "infra" for _, via, of in told if of is not None)


def test_a_service_that_an_operator_made_leads_to_what_it_was_made_for() -> None:
    owner = {
        "apiVersion": "postgresql.cnpg.io/v1",
        "kind": "Cluster",
        "name": "crm-db",
        "uid": "Cluster-crm-db",
        "controller": True,
    }
    spec = {"selector": {"cnpg.io/cluster": "crm-db"}, "ports": [{"port": 5432}]}
    service = made("v1", "Service", "crm-db-rw", "crm", spec=spec, meta={"ownerReferences": [owner]})
    ready = {
        "type": "Ready",
        "status": "False",
        "reason": "ClusterIsNotReady",
        "message": "Cluster Is Not Ready",
        "lastTransitionTime": "2026-11-21T01:00:00Z",
    }
    status = {
        "phase": "Cluster has incomplete or invalid image catalog",
        "phaseReason": "selected major version is not available in the catalog",
        "conditions": [ready],
    }
    cluster_spec = {
        "imageCatalogRef": {
            "apiGroup": "postgresql.cnpg.io",
            "kind": "ClusterImageCatalog",
            "name": "postgresql",
            "major": 17,
        }
    }
    cluster = made("postgresql.cnpg.io/v1", "Cluster", "crm-db", "crm", spec=cluster_spec, status=status)
    nobody = ServicePods(about=Ref("Service", "crm", "crm-db-rw"), src=Source("/pods"), matched=(), total=1)
    none = ServiceWorkloads(about=Ref("Service", "crm", "crm-db-rw"), src=Source("/workloads"), items=())
    found = asked(service, cluster, facts=(nobody, none))
    first = found.causes[0]
    assert first.id == "reported.own-words" and first.via and first.via.name == "crm-db", [
        (c.id, c.via) for c in found.causes
    ]
    assert (
        roots(found) == ["reported.own-words"]
        and "selected major version is not available" in first.finding.says.en
    )
    assert "ClusterImageCatalog.postgresql.cnpg.io postgresql (major 17)" in first.finding.says.en


def test_a_claim_that_waits_for_a_consumer_is_as_that_one_is() -> None:
    claim = made(
        "v1",
        "PersistentVolumeClaim",
        "scratch",
        spec={"storageClassName": "disks", "accessModes": ["ReadWriteOnce"]},
        status={"phase": "Pending"},
    )
    disks = {"provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"}
    class_ = made("storage.k8s.io/v1", "StorageClass", "disks", None, **disks)
    nobody = Users(about=Ref("PersistentVolumeClaim", "shop", "scratch"), src=Source("/pods"), refs=())
    waits = asked(claim, class_, facts=(nobody,)).state
    assert (
        waits.name == "progressing" and "(WaitForFirstConsumer), and no Pod uses it yet" in waits.headline.en
    )
    assert asked(claim, class_).state.name == "progressing"
    placed = replace(nobody, refs=(Ref("Pod", "shop", "web"),))
    past = asked(claim, class_, facts=(placed,)).state
    assert not past.granted and "past the scheduler" in past.headline.en and "no Pod" not in past.headline.en
    message = "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind."
    status = {
        "phase": "Pending",
        "conditions": [
            {
                "type": "PodScheduled",
                "status": "False",
                "reason": "Unschedulable",
                "message": message,
                "lastTransitionTime": "2026-11-21T01:00:00Z",
            }
        ],
    }
    volumes = [{"name": "scratch", "persistentVolumeClaim": {"claimName": "scratch"}}]
    pod = made(
        "v1", "Pod", "aligner", spec={"containers": [{"name": "c"}], "volumes": volumes}, status=status
    )
    found = asked(claim, class_, pod)
    assert found.state.name == "stuck" and "aligner" in found.state.headline.en
    assert "storage.claim-unbound" in {*(c.id for c in found.causes), *(o.id for o in found.undecided)}
    done = {**pod, "spec": {**pod["spec"], "nodeName": "n1"}}
    assert asked(claim, class_, done).state.name == "progressing"


def test_a_cron_job_that_forbids_two_leads_to_the_container_that_never_ends() -> None:
    def owned(kind: str, name: str) -> Doc:
        return {
            "ownerReferences": [
                {
                    "apiVersion": "batch/v1",
                    "kind": kind,
                    "name": name,
                    "uid": f"{kind}-{name}",
                    "controller": True,
                }
            ]
        }

    spec = {
        "restartPolicy": "Never",
        "containers": [{"name": "report"}, {"name": "cloud-sql-proxy", "ports": [{"containerPort": 5432}]}],
    }
    template = {"template": {"spec": spec}}
    cron = made(
        "batch/v1",
        "CronJob",
        "sales",
        spec={"concurrencyPolicy": "Forbid", "jobTemplate": {"spec": template}},
    )
    counts = {"active": 1, "ready": 0, "startTime": "2026-11-21T02:00:00Z"}
    job = made(
        "batch/v1",
        "Job",
        "sales-1",
        meta=owned("CronJob", "sales"),
        spec={"completions": 1, **template},
        status=counts,
    )
    ended = {
        "exitCode": 0,
        "reason": "Completed",
        "startedAt": "2026-11-21T02:00:05Z",
        "finishedAt": "2026-11-21T02:00:09Z",
    }
    statuses = [
        {"name": "report", "containerID": "containerd://a", "state": {"terminated": ended}},
        {
            "name": "cloud-sql-proxy",
            "containerID": "containerd://b",
            "ready": True,
            "state": {"running": {"startedAt": "2026-11-21T02:00:05Z"}},
        },
    ]
    not_ready = {
        "type": "Ready",
        "status": "False",
        "reason": "ContainersNotReady",
        "lastTransitionTime": "2026-11-21T02:00:09Z",
    }
    status = {
        "phase": "Running",
        "containerStatuses": statuses,
        "conditions": [{"type": "PodScheduled", "status": "True"}, not_ready],
    }
    pod = made(
        "v1", "Pod", "sales-1-x", meta=owned("Job", "sales-1"), spec={**spec, "nodeName": "n1"}, status=status
    )
    skipped = made(
        "v1",
        "Event",
        "e",
        reason="JobAlreadyActive",
        type="Normal",
        count=50,
        firstTimestamp="2026-11-21T02:01:00Z",
        lastTimestamp="2026-11-21T02:59:00Z",
        involvedObject={"kind": "CronJob", "namespace": "shop", "name": "sales", "uid": "CronJob-sales"},
    )
    below: tuple[Fact, ...] = (
        Below(
            about=Ref("CronJob", "shop", "sales"),
            src=Source("/jobs"),
            kind="Job",
            refs=(Ref("Job", "shop", "sales-1"),),
        ),
        Below(
            about=Ref("Job", "shop", "sales-1"),
            src=Source("/pods"),
            kind="Pod",
            refs=(Ref("Pod", "shop", "sales-1-x"),),
        ),
    )
    found = asked(cron, job, pod, skipped, facts=below)
    assert "Forbid" in found.state.headline.en and [c.id for c in found.causes] == [
        "container.outlives-its-job"
    ]
    assert "cloud-sql-proxy" in found.causes[0].finding.says.en


def waiting_for_its_proxy() -> Doc:
    """Return a Pod with a running sidecar and a failing startup probe."""
    probe = {"exec": {"command": ["test", "-f", "/tmp/ready"]}, "periodSeconds": 1, "failureThreshold": 600}
    spec = {
        "nodeName": "n1",
        "initContainers": [{"name": "istio-proxy", "restartPolicy": "Always", "startupProbe": probe}],
        "containers": [{"name": "quotes"}],
    }
    status = {
        "phase": "Pending",
        "startTime": "2026-11-21T02:50:00Z",
        "conditions": [
            {
                "type": "PodReadyToStartContainers",
                "status": "True",
                "lastTransitionTime": "2026-11-21T02:50:02Z",
            },
            {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-21T02:50:00Z"},
            {
                "type": "Initialized",
                "status": "False",
                "reason": "ContainersNotInitialized",
                "lastTransitionTime": "2026-11-21T02:50:00Z",
            },
            {
                "type": "Ready",
                "status": "False",
                "reason": "ContainersNotReady",
                "lastTransitionTime": "2026-11-21T02:50:00Z",
            },
        ],
        "initContainerStatuses": [
            {
                "name": "istio-proxy",
                "containerID": "containerd://0a",
                "ready": False,
                "started": False,
                "restartCount": 0,
                "state": {"running": {"startedAt": "2026-11-21T02:50:02Z"}},
            }
        ],
        "containerStatuses": [
            {
                "name": "quotes",
                "ready": False,
                "restartCount": 0,
                "state": {"waiting": {"reason": "PodInitializing"}},
            }
        ],
    }
    return made("v1", "Pod", "quotes-1", "rates", spec=spec, status=status)


def test_a_sidecar_without_its_head_leads_through_the_service_to_the_file_that_does_not_parse() -> None:
    proxy = Ref("Container", "rates/quotes-1", "istio-proxy")
    lines = (
        "warning envoy config external/envoy/grpc/grpc_stream.h:155 gRPC config stream to xds-grpc closed "
        "since 40s ago: 14, "
        "connection error: transport: Error while dialing: dial tcp: connect to "
        "istiod.istio-system.svc:15012: connection refused",
        (
            "warn Envoy proxy is NOT ready: config not received from XDS server (is Istiod running?): cds "
            "updates: 0 successful, 0 rejected"
        ),
    )
    service = Ref("Service", "istio-system", "istiod")
    head = falling("istiod-1", "istio-system", 255)
    head["spec"] = {
        "nodeName": "n1",
        "containers": [{"name": "c", "volumeMounts": [{"name": "config", "mountPath": "/etc/istio/config"}]}],
        "volumes": [{"name": "config", "configMap": {"name": "istio"}}],
    }
    facts: tuple[Fact, ...] = (
        LastLines(
            about=proxy, src=Source("/log/quotes-1", lines[-1]), lines=lines, complaint=find_complaint(lines)
        ),
        log(
            "istio-system",
            "istiod-1",
            (
                "Error: failed to read mesh configuration file /etc/istio/config/mesh: yaml: line 3: found "
                "character that cannot start"
            ),
        ),
        ServicePods(
            about=service, src=Source("/pods"), matched=(Behind("istiod-1", False),), total=1, whole=True
        ),
    )
    spec = {"selector": {"app": "istiod"}, "ports": [{"port": 15012}]}
    found = asked(
        waiting_for_its_proxy(), made("v1", "Service", "istiod", "istio-system", spec=spec), head, facts=facts
    )
    first, waiting = found.causes[0], next(c for c in found.causes if c.id == "container.init-waiting")
    assert roots(found) == ["program.config-unparsable"], [(c.id, c.consequence_of) for c in found.causes]
    assert all(
        word in first.finding.says.en for word in ("/etc/istio/config/mesh", "line 3", "ConfigMap istio")
    )
    assert waiting.consequence_of is not None and all(
        word in waiting.finding.says.en for word in ("istio-proxy", "istiod")
    )
