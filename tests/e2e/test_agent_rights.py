"""The rights of an agent's clients and of the agent: every allowed and every denied case, on the real API
server.

Needs the chart's objects and the agents' Pods, which need not run.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.callers import (
    NODE,
    POD,
    Caller,
    request_token,
    write_account_kubeconfig,
    write_impersonating_kubeconfig,
    write_kubeconfig,
)

if TYPE_CHECKING:
    from unstuck_lab import Lab

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("release")]
objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")

NS, FOREIGN = "e2e-agent-rights", "e2e-agent-foreign"
HOME = "unstuck-system"
AGENT = f"system:serviceaccount:{HOME}:agent"
HERE, THERE = "lab-2", "lab-1"
GROUP = "unstuck.dev/v1"
PROBES = f"/apis/{GROUP}/namespaces/{HOME}/nodeprobes"
REPORTS = f"/apis/{GROUP}/namespaces/{HOME}/nodereports"
RBAC = {"apiGroup": "rbac.authorization.k8s.io"}


@dataclass(frozen=True)
class Cast:
    """agent: with the token of the agent's Pod on lab-2. tenant: may get the Pods of one Namespace.
    oncall: may probe lab-2.
    """

    pod: dict[str, Any]
    agent: Caller
    tenant: Caller
    oncall: Caller
    admin: Caller


def role(
    namespace: str | None, name: str, rules: list[dict[str, Any]], account: str, within: str = NS
) -> list[dict[str, Any]]:
    """A Role (or for None a ClusterRole) and its binding to a ServiceAccount of `within`."""
    kind = "Role" if namespace else "ClusterRole"
    meta = {"name": name} | ({"namespace": namespace} if namespace else {})
    subjects = [{"kind": "ServiceAccount", "name": account, "namespace": within}]
    version = f"{RBAC['apiGroup']}/v1"
    return [
        {"apiVersion": version, "kind": kind, "metadata": meta, "rules": rules},
        {
            "apiVersion": version,
            "kind": f"{kind}Binding",
            "metadata": meta,
            "roleRef": {**RBAC, "kind": kind, "name": name},
        }
        | {"subjects": subjects},
    ]


def asks(account: str) -> dict[str, Any]:
    """Return a ServiceAccount bound to the chart's Role asker."""
    name = f"e2e-asker-{account}"
    return {
        "apiVersion": f"{RBAC['apiGroup']}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": name, "namespace": HOME},
        "roleRef": {**RBAC, "kind": "Role", "name": "asker"},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": NS}],
    }


def account(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": NS}}


def agents_pod(lab: Lab, node: str) -> dict[str, Any] | None:
    """Return the agent's Pod on a node, running or not."""
    pods = lab.request("GET", f"/api/v1/namespaces/{HOME}/pods?fieldSelector=spec.nodeName={node}")["items"]
    return next(
        (
            p
            for p in pods
            if p["spec"]["serviceAccountName"] == "agent" and "deletionTimestamp" not in p["metadata"]
        ),
        None,
    )


@pytest.fixture(scope="module")
def cast(lab: Lab, release: None) -> Iterator[Cast]:
    pod = lab.wait(lambda: agents_pod(lab, HERE), 60, f"an agent's Pod on {HERE}")
    get_pods = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
    probe = [{"apiGroups": [""], "resources": ["nodes"], "resourceNames": [HERE], "verbs": ["probe"]}]
    made = [
        *(objects.make_namespace(n) for n in (NS, FOREIGN)),
        *(account(n) for n in ("tenant", "oncall")),
        *role(NS, "get-pods", get_pods, "tenant"),
        *role(None, "e2e-probe-lab-2", probe, "oncall"),
        *(asks(n) for n in ("tenant", "oncall")),
    ]
    try:
        lab.apply(*made)
        yield Cast(
            pod,
            write_account_kubeconfig(lab, HOME, "agent", pod, asked_by=f"system:node:{HERE}"),
            write_account_kubeconfig(lab, NS, "tenant"),
            write_account_kubeconfig(lab, NS, "oncall"),
            write_kubeconfig(lab, lab.read_token("lab-admin")),
        )
    finally:
        lab.run_kubectl("delete", "--ignore-not-found", "clusterrole,clusterrolebinding", "e2e-probe-lab-2")
        lab.run_kubectl(
            "delete", "--ignore-not-found", "-n", HOME, "rolebinding", "e2e-asker-tenant", "e2e-asker-oncall"
        )
        for name in (NS, FOREIGN):
            steps.remove_namespace(lab, name)


def report(
    node: str = HERE, probe: str | None = None, name: str | None = None, **meta: Any
) -> dict[str, Any]:
    uid = probe or str(uuid.uuid4())
    labels = {"unstuck.dev/node": node}
    metadata = {"name": name or f"{uid}.{node}", "namespace": HOME, "labels": labels} | meta
    return {
        "apiVersion": GROUP,
        "kind": "NodeReport",
        "metadata": metadata,
        "nodeName": node,
        "probeUID": uid,
        "facts": "{}",
    }


def probe(by: str, node: str = HERE, pod: tuple[str, str] | None = None, **meta: Any) -> dict[str, Any]:
    spec: dict[str, Any] = {"nodeName": node, "requestedBy": by, "deadlineSeconds": 1}
    if pod:
        spec["pod"] = {"namespace": pod[0], "name": pod[1], "uid": str(uuid.uuid4())}
    metadata = {
        "name": f"e2e-{uuid.uuid4().hex[:12]}",
        "namespace": HOME,
        "labels": {"unstuck.dev/node": node},
    } | meta
    return {"apiVersion": GROUP, "kind": "NodeProbe", "metadata": metadata, "spec": spec}


def of(name: str) -> str:
    return f"system:serviceaccount:{NS}:{name}"


def made(cast: Cast, who: Caller, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Create an object during the block; the administrator removes it."""
    status, answer = who.ask("POST", path, body)
    assert status == 201, answer
    cast.admin.ask("DELETE", f"{path}/{answer['metadata']['name']}")
    return answer


def denied(answer: tuple[int, dict[str, Any]], said: str, status: int = 403) -> None:
    assert answer[0] == status, answer
    assert said in answer[1]["message"], answer[1]["message"]


# --- allowed ------------------------------------------------------------------------------------------------


def test_an_agent_answers_for_its_own_node(cast: Cast) -> None:
    assert made(cast, cast.agent, REPORTS, report())["nodeName"] == HERE


def test_an_agent_sees_probes(cast: Cast) -> None:
    assert cast.agent.ask("GET", PROBES)[0] == 200


def test_an_agent_sweeps_its_own_node(cast: Cast) -> None:
    _, there = cast.admin.ask("POST", PROBES, probe("lab-admin"))
    assert cast.agent.ask("DELETE", f"{PROBES}/{there['metadata']['name']}")[0] in (200, 404), (
        "a running agent may have swept it"
    )
    _, told = cast.agent.ask("POST", REPORTS, report())
    assert cast.agent.ask("DELETE", f"{REPORTS}/{told['metadata']['name']}")[0] == 200


def test_a_tenant_asks_about_a_pod_that_it_may_get(cast: Cast) -> None:
    made(cast, cast.tenant, PROBES, probe(of("tenant"), pod=(NS, "web")))


def test_who_may_probe_a_node_asks_about_the_node(cast: Cast) -> None:
    made(cast, cast.oncall, PROBES, probe(of("oncall")))


def test_who_asked_gets_the_report_by_the_uid_of_the_probe(cast: Cast) -> None:
    status, told = cast.agent.ask("POST", REPORTS, report())
    assert status == 201
    path = f"{REPORTS}/{told['metadata']['name']}"
    assert cast.tenant.ask("GET", path)[1]["facts"] == "{}"
    cast.admin.ask("DELETE", path)


# --- denied: agents
# -------------------------------------------------------------------------------------------------------


def test_no_agent_answers_for_another_node(cast: Cast) -> None:
    denied(
        cast.agent.ask("POST", REPORTS, report(THERE)),
        f"this agent runs on {HERE} and may not answer for {THERE}",
    )


def test_nor_under_a_name_that_is_not_its_own(cast: Cast) -> None:
    uid = str(uuid.uuid4())
    denied(cast.agent.ask("POST", REPORTS, report(probe=uid, name=f"{uid}.{THERE}")), "may not answer")
    denied(
        cast.agent.ask("POST", REPORTS, report(probe=uid, name=f"{uuid.uuid4()}.{HERE}")), "may not answer"
    )


@pytest.mark.parametrize(
    "extra", [{NODE: HERE}, {POD: "unstuck-agent-x"}, {}], ids=["node", "pod", "nothing"]
)
def test_a_token_bound_to_a_node_or_a_pod_alone_writes_no_report(
    lab: Lab, cast: Cast, extra: dict[str, str]
) -> None:
    denied(
        write_impersonating_kubeconfig(lab, AGENT, extra).ask("POST", REPORTS, report()),
        "the token is not bound to a Pod on a node",
    )


def test_a_token_that_is_bound_to_nothing_sweeps_nothing(lab: Lab, cast: Cast) -> None:
    _, there = cast.admin.ask("POST", PROBES, probe("lab-admin"))
    path = f"{PROBES}/{there['metadata']['name']}"
    denied(
        write_impersonating_kubeconfig(lab, AGENT, {}).ask("DELETE", path),
        "sweeps only its own node; this one runs on no known node",
    )
    cast.admin.ask("DELETE", path)


def test_bound_to_both_it_would(lab: Lab, cast: Cast) -> None:
    # This proves that the case above is refused for the missing right, not for its form.
    made(
        cast,
        write_impersonating_kubeconfig(lab, AGENT, {NODE: HERE, POD: "unstuck-agent-x"}),
        REPORTS,
        report(),
    )


def test_a_report_is_written_once(lab: Lab, cast: Cast) -> None:
    _, told = cast.agent.ask("POST", REPORTS, report())
    path = f"{REPORTS}/{told['metadata']['name']}"
    changed = told | {"facts": "other"}
    try:
        denied(cast.agent.ask("PUT", path, changed), "cannot update resource")
        assert cast.agent.ask("POST", REPORTS, report(probe=told["probeUID"]))[0] == 409
        # The refusal is not only for missing rights.
        update = [{"apiGroups": ["unstuck.dev"], "resources": ["nodereports"], "verbs": ["update"]}]
        lab.apply(*role(HOME, "e2e-update", update, "agent", HOME))
        lab.wait(
            lambda: "cannot update" not in cast.agent.ask("PUT", path, changed)[1]["message"],
            20,
            "the right to update",
        )
        denied(cast.agent.ask("PUT", path, changed), "a node report is written once")
        denied(cast.admin.ask("PUT", path, changed), "only the unstuck agent writes node reports")
    finally:
        lab.run_kubectl("delete", "--ignore-not-found", "-n", HOME, "role,rolebinding", "e2e-update")
        cast.admin.ask("DELETE", path)


def test_no_agent_reads_reports_or_asks_or_reads_secrets(cast: Cast) -> None:
    _, told = cast.agent.ask("POST", REPORTS, report())
    path = f"{REPORTS}/{told['metadata']['name']}"
    denied(cast.agent.ask("GET", path), "cannot get resource")
    denied(cast.agent.ask("GET", REPORTS), "cannot list resource")
    denied(cast.agent.ask("POST", PROBES, probe(AGENT)), "cannot create resource")
    for space in (HOME, "kube-system"):
        denied(cast.agent.ask("GET", f"/api/v1/namespaces/{space}/secrets"), "cannot list resource")
        denied(cast.agent.ask("GET", f"/api/v1/namespaces/{space}/pods"), "cannot list resource")
    cast.admin.ask("DELETE", path)


def test_no_agent_sweeps_another_node(lab: Lab, cast: Cast) -> None:
    _, there = cast.admin.ask("POST", PROBES, probe("lab-admin", THERE))
    elsewhere = write_impersonating_kubeconfig(lab, AGENT, {NODE: THERE, POD: "unstuck-agent-x"})
    _, told = elsewhere.ask("POST", REPORTS, report(THERE))
    try:
        for path in (f"{PROBES}/{there['metadata']['name']}", f"{REPORTS}/{told['metadata']['name']}"):
            denied(
                cast.agent.ask("DELETE", path), f"an agent sweeps only its own node; this one runs on {HERE}"
            )
        denied(cast.agent.ask("DELETE", REPORTS), "cannot deletecollection")
        denied(cast.agent.ask("DELETE", PROBES), "cannot deletecollection")
    finally:
        cast.admin.ask("DELETE", f"{PROBES}/{there['metadata']['name']}")
        cast.admin.ask("DELETE", f"{REPORTS}/{told['metadata']['name']}")


def test_nobody_else_writes_a_report(cast: Cast) -> None:
    denied(cast.admin.ask("POST", REPORTS, report()), "only the unstuck agent writes node reports")
    denied(cast.tenant.ask("POST", REPORTS, report()), "cannot create resource")


def test_a_report_is_of_bounded_size_and_held_by_nobody(cast: Cast) -> None:
    assert cast.agent.ask("POST", REPORTS, report() | {"facts": "x" * 262_145})[0] == 422
    denied(cast.agent.ask("POST", REPORTS, report(finalizers=["e2e.unstuck.dev/hold"])), "no finalizers")


# --- denied: clients
# ------------------------------------------------------------------------------------------------


def test_no_tenant_asks_about_a_foreign_pod_or_a_node(cast: Cast) -> None:
    denied(
        cast.tenant.ask("POST", PROBES, probe(of("tenant"), pod=(FOREIGN, "web"))),
        f"you may not get Pod {FOREIGN}/web",
    )
    denied(cast.tenant.ask("POST", PROBES, probe(of("tenant"))), f"you lack the verb probe on node {HERE}")


def test_the_right_to_probe_is_of_the_node_that_is_named(cast: Cast) -> None:
    denied(
        cast.oncall.ask("POST", PROBES, probe(of("oncall"), THERE)),
        f"you lack the verb probe on node {THERE}",
    )
    denied(
        cast.oncall.ask("POST", PROBES, probe(of("oncall"), pod=(NS, "web"))), f"you may not get Pod {NS}/web"
    )


def test_nobody_asks_in_another_name(cast: Cast) -> None:
    denied(
        cast.tenant.ask("POST", PROBES, probe(of("oncall"), pod=(NS, "web"))),
        "spec.requestedBy must be yourself",
    )
    denied(cast.admin.ask("POST", PROBES, probe(of("tenant"))), "spec.requestedBy must be yourself")


def test_a_label_leads_to_the_node_that_is_asked(cast: Cast) -> None:
    for labels in ({"unstuck.dev/node": THERE}, {}):
        denied(
            cast.oncall.ask("POST", PROBES, probe(of("oncall"), labels=labels)),
            "the label unstuck.dev/node must be",
            422,
        )


def test_no_asker_lists_probes_or_reports(cast: Cast) -> None:
    for path in (PROBES, REPORTS):
        denied(cast.tenant.ask("GET", path), "cannot list resource")
        denied(cast.tenant.ask("GET", f"{path}?watch=1"), "cannot watch resource")


def test_a_probe_is_never_changed_and_held_by_nobody(cast: Cast) -> None:
    denied(
        cast.admin.ask("POST", PROBES, probe("lab-admin", finalizers=["e2e.unstuck.dev/hold"])),
        "no finalizers",
    )
    _, there = cast.admin.ask("POST", PROBES, probe("lab-admin", THERE))
    path = f"{PROBES}/{there['metadata']['name']}"
    there["spec"]["deadlineSeconds"] = 30
    status, answer = cast.admin.ask("PUT", path, there)
    cast.admin.ask("DELETE", path)
    # A running agent there may have removed it; a change is forbidden.
    assert status in (404, 409) or (status == 422 and "a probe is immutable" in answer["message"]), answer


# --- becoming an agent --------------------------------------------------------------------------------------


def impostor(lab: Lab, **meta: Any) -> dict[str, Any]:
    pod: dict[str, Any] = objects.make_pod(
        HOME, "unstuck-agent-impostor", serviceAccountName="agent", nodeName=THERE
    )
    pod["metadata"] |= meta
    return pod


def test_nobody_makes_an_agents_pod_by_hand(lab: Lab, cast: Cast) -> None:
    pods = f"/api/v1/namespaces/{HOME}/pods"
    denied(cast.admin.ask("POST", pods, impostor(lab)), "agents are made by their DaemonSet alone", 403)
    set_ = lab.request("GET", f"/apis/apps/v1/namespaces/{HOME}/daemonsets/unstuck-agent")
    owner = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "name": "unstuck-agent",
        "uid": set_["metadata"]["uid"],
        "controller": True,
    }
    denied(
        cast.admin.ask("POST", pods, impostor(lab, ownerReferences=[owner])),
        "agents are made by their DaemonSet alone",
    )


def test_nor_through_a_daemonset_of_ones_own(lab: Lab, cast: Cast) -> None:
    template = {"metadata": {"labels": {"app": "e2e"}}, "spec": impostor(lab)["spec"]}
    template["spec"].pop("nodeName")
    spec = {"selector": {"matchLabels": {"app": "e2e"}}, "template": template}
    meta = {"name": "unstuck-agent-e2e", "namespace": HOME}
    lab.apply({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": meta, "spec": spec})
    try:
        said = lab.wait(lambda: _refused(lab, "unstuck-agent-e2e"), 60, "FailedCreate of the DaemonSet")
        assert "only the DaemonSet unstuck-agent may use the ServiceAccount agent" in said
    finally:
        lab.run_kubectl("delete", "-n", HOME, "daemonset", "unstuck-agent-e2e")


def _refused(lab: Lab, daemon_set: str) -> str:
    events = lab.request(
        "GET", f"/api/v1/namespaces/{HOME}/events?fieldSelector=involvedObject.name={daemon_set}"
    )["items"]
    return next((e["message"] for e in events if e["reason"] == "FailedCreate"), "")


def test_an_agents_pod_keeps_its_image_and_gets_no_other_container(lab: Lab, cast: Cast) -> None:
    path = f"/api/v1/namespaces/{HOME}/pods/{cast.pod['metadata']['name']}"
    pod = lab.request("GET", path)
    changed = pod | {
        "spec": pod["spec"]
        | {"containers": [c | {"image": "lab.local/busybox:1"} for c in pod["spec"]["containers"]]}
    }
    denied(cast.admin.ask("PUT", path, changed), "agents run no other image than")
    debug = pod | {
        "spec": pod["spec"] | {"ephemeralContainers": [{"name": "debug", "image": "lab.local/busybox:1"}]}
    }
    denied(cast.admin.ask("PUT", f"{path}/ephemeralcontainers", debug), "agents run no other image than")


def test_nothing_is_run_in_an_agent(cast: Cast) -> None:
    path = f"/api/v1/namespaces/{HOME}/pods/{cast.pod['metadata']['name']}"
    for what in ("exec?command=id&container=reporter&stdout=true", "attach?container=reporter&stdout=true"):
        denied(cast.admin.ask("POST", f"{path}/{what}"), "nothing is run in an agent")


def test_only_a_kubelet_gets_an_agents_token_and_only_for_its_own_pods(lab: Lab, cast: Cast) -> None:
    denied(request_token(lab, HOME, "agent", cast.pod), "only a kubelet asks for the token of an agent")
    denied(request_token(lab, HOME, "agent"), "only a kubelet asks for the token of an agent")
    assert request_token(lab, HOME, "agent", cast.pod, f"system:node:{THERE}")[0] == 403
    assert request_token(lab, HOME, "agent", None, f"system:node:{HERE}")[0] == 403


SECRETS = f"/api/v1/namespaces/{HOME}/secrets"


def secret(name: str, of: str, kind: str = "kubernetes.io/service-account-token") -> dict[str, Any]:
    meta = {"name": name, "namespace": HOME, "annotations": {"kubernetes.io/service-account.name": of}}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "type": kind}


def test_no_secret_gets_an_agents_token(lab: Lab, cast: Cast) -> None:
    denied(
        cast.admin.ask("POST", SECRETS, secret("e2e-agent-token", "agent")),
        "no Secret holds a token of an agent",
    )
    path = f"{SECRETS}/e2e-default-token"
    try:
        status, there = cast.admin.ask("POST", SECRETS, secret("e2e-default-token", "default"))
        assert status == 201, "other accounts are nobody's business"
        for tokens in ({}, None):
            there["metadata"] |= {
                "annotations": {"kubernetes.io/service-account.name": "agent"},
                "resourceVersion": "",
            }
            changed = there if tokens is None else there | {"data": tokens}
            denied(cast.admin.ask("PUT", path, changed), "no Secret holds a token of an agent")
    finally:
        cast.admin.ask("DELETE", path)
    assert cast.admin.ask("POST", f"{SECRETS}?dryRun=All", secret("e2e-opaque", "agent", "Opaque"))[0] == 201


def test_a_secret_from_before_gets_no_token_and_can_be_let_go(lab: Lab, cast: Cast) -> None:
    """The chart finds it there: it is made while the policy does not deny."""
    binding = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/unstuck-agent-secret"
    path = f"{SECRETS}/e2e-agent-token"

    def warn_only(actions: list[str]) -> None:
        found = lab.request("GET", binding)
        found["spec"]["validationActions"] = actions
        lab.request("PUT", binding, found)

    def made() -> bool | None:
        status, _ = cast.admin.ask(
            "POST", SECRETS, secret("e2e-agent-token", "agent") | {"metadata": made_as}
        )
        return status == 201 or None

    made_as = secret("e2e-agent-token", "agent")["metadata"] | {"finalizers": ["e2e.unstuck.dev/hold"]}
    try:
        warn_only(["Warn"])
        lab.wait(made, 20, "the Secret made")
        warn_only(["Deny"])
        lab.wait(
            lambda: (
                cast.admin.ask("POST", f"{SECRETS}?dryRun=All", secret("e2e-other", "agent"))[0] == 403
                or None
            ),
            20,
            "denied",
        )
        found = lab.request("GET", path)
        denied(
            cast.admin.ask("PUT", path, found | {"data": {"token": "eA=="}}),
            "no Secret holds a token of an agent",
        )
    finally:
        warn_only(["Deny"])
        found = lab.get(path)
        if found:
            found["metadata"]["finalizers"] = []
            assert cast.admin.ask("PUT", path, found)[0] == 200
            cast.admin.ask("DELETE", path)
    assert lab.get(path) is None


def test_other_pods_in_that_namespace_are_nobodys_business(lab: Lab, cast: Cast) -> None:
    pod = objects.make_pod(HOME, "e2e-plain")
    assert cast.admin.ask("POST", f"/api/v1/namespaces/{HOME}/pods?dryRun=All", pod)[0] == 201
