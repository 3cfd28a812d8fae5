"""The chart rendered by Helm for old and new servers, and its installation, upgrade and removal in the
lab.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from unstuck_lab import Lab

pytestmark = pytest.mark.e2e
pytest.importorskip("unstuck_lab", reason="the lab is not installed")

IMAGE = "registry.example/unstuck-agent@sha256:" + "0" * 64
CAPABILITIES = ["DAC_READ_SEARCH", "SYSLOG", "SYS_PTRACE"]
POLICIES = {
    "nodereport",
    "nodeprobe",
    "sweep",
    "agent-pod",
    "agent-token",
    "agent-secret",
    "agent-exec",
    "look",
}
Objects = dict[tuple[str, str], dict[str, Any]]


def chart() -> str:
    from unstuck_lab import agent

    return str(agent.find_checkout() / "charts" / "unstuck")


def helm(*args: str) -> str:
    """Run helm without a cluster."""
    from unstuck_lab.cluster import Lab

    return Lab.from_environment().run_helm(*args)


@cache
def render(
    version: str, *values: str, namespace: str = "unstuck-system", types: tuple[str, ...] = ()
) -> Objects:
    """Return the rendered objects by kind and name. values: as in `--set`; the image is given if agents are
    installed. types: served besides Kubernetes' own.
    """
    flags = [part for value in (f"image={IMAGE}", *values) for part in ("--set", value)]
    flags += [part for served in types for part in ("--api-versions", served)]
    text = helm("template", "unstuck", chart(), "--namespace", namespace, "--kube-version", version, *flags)
    return {(o["kind"], o["metadata"]["name"]): o for o in yaml.safe_load_all(text) if o}


@pytest.fixture
def notes(tmp_path: Path) -> Callable[..., str]:
    """Return the notes after an installation on a server of a version, in both languages. `helm template`
    omits them, so they are rendered as an object.
    """
    copy = tmp_path / "unstuck"
    shutil.copytree(chart(), copy)
    text = (
        '{{ toJson (dict "kind" "Notes" "text" (list (include "unstuck.notes" .) (include '
        '"unstuck.notes.zh" .))) }}'
    )
    (copy / "templates" / "shown.yaml").write_text(text)

    def of(version: str, *values: str) -> str:
        flags = [part for value in (f"image={IMAGE}", *values) for part in ("--set", value)]
        found = helm(
            "template",
            "unstuck",
            str(copy),
            "--show-only",
            "templates/shown.yaml",
            "--kube-version",
            version,
            *flags,
        )
        english, chinese = json.loads(found.partition("\n")[2].partition("\n")[2])["text"]
        # Both languages have the same non-empty lines.
        assert [not line.strip() for line in english.splitlines()].count(False) >= 1 and english.count(
            "  -"
        ) == chinese.count("  -")
        return " ".join(english.split())

    return of


def containers(objects: Objects) -> dict[str, dict[str, Any]]:
    spec = objects["DaemonSet", "unstuck-agent"]["spec"]["template"]["spec"]
    return {c["name"]: c for c in spec["containers"]}


def test_helm_has_nothing_to_find_fault_with() -> None:
    for version in ("1.28.0", "1.30.0", "1.34.0"):
        said = helm("lint", chart(), "--strict", "--set", f"image={IMAGE}", "--kube-version", version)
        assert "0 chart(s) failed" in said and "WARNING" not in said


@pytest.mark.parametrize("version", ["1.30.0", "1.34.4", "1.33.5-gke.1200"])
def test_with_policies_the_agent_is_installed(version: str) -> None:
    objects = render(version)
    assert ("DaemonSet", "unstuck-agent") in objects and (
        "CustomResourceDefinition",
        "nodeprobes.unstuck.dev",
    ) in objects
    for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"):
        assert {name for k, name in objects if k == kind} == {f"unstuck-{p}" for p in POLICIES}
    for (kind, _), found in objects.items():
        if kind == "ValidatingAdmissionPolicyBinding":
            assert found["spec"]["validationActions"] == ["Deny"]
        if kind == "ValidatingAdmissionPolicy":
            assert found["spec"]["failurePolicy"] == "Fail"


@pytest.mark.parametrize("version", ["1.16.0", "1.28.0", "1.29.9"])
def test_where_policies_cannot_be_enforced_only_the_right_to_read_is_given(
    version: str, notes: Callable[..., str]
) -> None:
    assert set(render(version)) == {("ClusterRole", "unstuck-reader"), ("ClusterRole", "unstuck-kubelet")}
    said = notes(version)
    assert "No agent is installed" in said and version in said and "1.30" in said


def test_unless_that_is_wanted_all_the_same_and_then_it_says_what_is_not_enforced(
    notes: Callable[..., str],
) -> None:
    objects = render("1.28.0", "agent.withoutPolicy=true")
    kinds = {kind for kind, _ in objects}
    assert "DaemonSet" in kinds and not {k for k in kinds if k.startswith("Validating")}
    assert "appArmorProfile" not in containers(objects)["collector"]["securityContext"]
    said = notes("1.28.0", "agent.withoutPolicy=true")
    assert "WARNING" in said and "Nothing is enforced" in said and "for its own node only" in said
    assert "Nothing is enforced" not in notes("1.30.0", "agent.withoutPolicy=true")


def test_the_pod_that_looks_once_is_guarded_with_or_without_an_agent() -> None:
    objects = render("1.34.4", "agent.enabled=false")
    assert {name for kind, name in objects if kind.startswith("Validating")} == {"unstuck-look"}


def test_no_image_is_named_that_nobody_built() -> None:
    from unstuck_lab.errors import CommandFailedError

    with pytest.raises(CommandFailedError, match="image: which image the agent runs must be said"):
        helm("template", "unstuck", chart(), "--kube-version", "1.34.0")
    assert helm("template", "unstuck", chart(), "--kube-version", "1.34.0", "--set", "agent.enabled=false")
    used = {c["image"] for c in containers(render("1.34.0")).values()}
    assert used == {IMAGE}


def test_a_value_that_is_none_is_refused() -> None:
    from unstuck_lab.errors import CommandFailedError

    for wrong in ("agent.hostNetwork=true", "reader.secrets=maybe", "access.readers[0].kind=Robot"):
        with pytest.raises(CommandFailedError, match=r"at '/(agent|reader/secrets|access/readers)"):
            render("1.34.0", wrong)


def test_the_collector_sees_the_node_and_has_no_token() -> None:
    objects = render("1.34.4")
    spec = objects["DaemonSet", "unstuck-agent"]["spec"]["template"]["spec"]
    collector, volumes = containers(objects)["collector"], {v["name"]: v for v in spec["volumes"]}
    context = collector["securityContext"]
    assert (
        context["capabilities"]["drop"] == ["ALL"] and sorted(context["capabilities"]["add"]) == CAPABILITIES
    )
    assert (
        context["privileged"],
        context["allowPrivilegeEscalation"],
        context["readOnlyRootFilesystem"],
    ) == (False, False, True)
    assert "projected" not in {key for m in collector["volumeMounts"] for key in volumes[m["name"]]}
    paths = {v["hostPath"]["path"]: v["hostPath"]["type"] for v in volumes.values() if "hostPath" in v}
    assert paths == {"/proc": "Directory"}, "nothing of the node is mounted, and nothing is made there"
    mounted = next(m for m in collector["volumeMounts"] if "hostPath" in volumes[m["name"]])
    assert mounted["readOnly"] and mounted["mountPropagation"] == "HostToContainer"


def test_the_reporter_has_a_token_of_its_own_pod_and_nothing_of_the_node() -> None:
    objects = render("1.34.4")
    spec = objects["DaemonSet", "unstuck-agent"]["spec"]["template"]["spec"]
    reporter, volumes = containers(objects)["reporter"], {v["name"]: v for v in spec["volumes"]}
    context = reporter["securityContext"]
    assert (
        context["capabilities"] == {"drop": ["ALL"]} and context["runAsNonRoot"] and context["runAsUser"] > 0
    )
    assert not any("hostPath" in volumes[m["name"]] for m in reporter["volumeMounts"])
    assert (spec["automountServiceAccountToken"], spec["serviceAccountName"]) == (False, "agent")


def test_the_agents_pod_is_as_it_must_be_on_a_sick_node() -> None:
    found = render("1.34.4")["DaemonSet", "unstuck-agent"]["spec"]
    spec = found["template"]["spec"]
    assert found["updateStrategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0},
    }
    assert (
        spec["tolerations"] == [{"operator": "Exists"}]
        and spec["priorityClassName"] == "system-node-critical"
    )
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"hostPID", "hostNetwork", "hostIPC"} & set(spec)
    for container in spec["containers"]:
        assert not {"ports", "livenessProbe", "readinessProbe"} & set(container)


def test_no_role_has_more_than_it_needs() -> None:
    objects = render("1.34.4", "agent.kubeletApi=true")
    text = json.dumps([o["rules"] for (kind, _), o in objects.items() if kind in ("Role", "ClusterRole")])
    assert (
        "nodes/proxy" not in text
        and '"*"' not in text
        and "secrets" not in json.dumps(objects["Role", "agent"]["rules"])
    )
    by_resource = {r["resources"][0]: sorted(r["verbs"]) for r in objects["Role", "agent"]["rules"]}
    assert by_resource == {"nodeprobes": ["delete", "list", "watch"], "nodereports": ["create", "delete"]}
    by_resource = {r["resources"][0]: sorted(r["verbs"]) for r in objects["Role", "asker"]["rules"]}
    assert by_resource == {
        "nodeprobes": ["create", "delete", "get"],
        "nodereports": ["get"],
        "pods": ["list"],
    }
    assert ("ClusterRoleBinding", "unstuck-agent-kubelet") not in render("1.34.4")


PROBES = ("unstuck.dev/v1/NodeProbe",)


def test_how_many_probes_there_may_be_is_a_value() -> None:
    def hard(*values: str) -> dict[str, str] | None:
        found = render("1.34.4", *values, types=PROBES).get(("ResourceQuota", "unstuck-probes"))
        return found["spec"]["hard"] if found else None

    assert ("ResourceQuota", "unstuck-probes") not in render("1.34.4"), (
        "it would refuse every probe until the new type is counted"
    )
    assert hard() == {"count/nodeprobes.unstuck.dev": "5000"}
    assert hard("agent.maxProbes=2000000") == {"count/nodeprobes.unstuck.dev": "2000000"}
    assert hard("agent.maxProbes=0") is None


def test_what_the_agent_reads_of_a_probe_is_in_its_columns_and_bounded() -> None:
    """It never reads the object, so that nobody can make it read more."""
    from unstuck.agent.probes import COLUMNS

    (version,) = render("1.34.4")["CustomResourceDefinition", "nodeprobes.unstuck.dev"]["spec"]["versions"]
    paths = {c["name"]: c["jsonPath"].split(".")[1:] for c in version["additionalPrinterColumns"]}
    assert set(COLUMNS) <= {"Name", *paths}
    for _, *keys in [path for path in paths.values() if path[0] == "spec"]:
        schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        for key in keys:
            schema = schema["properties"][key]
        # The value is a name or an id; there may be several single questions about a node.
        assert schema["type"] == "integer" or schema["maxLength"] <= (4000 if keys == ["wants"] else 253)


def test_whoever_is_named_is_bound() -> None:
    def group(where: str, name: str) -> list[str]:
        return [
            f"access.{where}[0].kind=Group",
            f"access.{where}[0].name={name}",
            f"access.{where}[0].apiGroup=rbac.authorization.k8s.io",
        ]

    objects = render(
        "1.34.4", *group("readers", "dev"), *group("askers", "team"), *group("nodeAskers", "sre")
    )
    bound = {
        name: [s["name"] for s in objects[kind, name]["subjects"]]
        for kind, name in (
            ("ClusterRoleBinding", "unstuck-reader"),
            ("RoleBinding", "asker"),
            ("ClusterRoleBinding", "unstuck-probe-nodes"),
        )
    }
    assert bound == {"unstuck-reader": ["dev"], "asker": ["team", "sre"], "unstuck-probe-nodes": ["sre"]}


def test_another_namespace_is_named_in_the_policies() -> None:
    text = json.dumps(
        [o for (kind, _), o in render("1.34.4", namespace="ops").items() if kind.startswith("Validating")]
    )
    assert "system:serviceaccount:ops:agent" in text and "unstuck-system" not in text


# --- in the lab ---------------------------------------------------------------------------------------------


def left(lab: Lab) -> set[str]:
    """Return all objects in the cluster made by a release of the chart, except Pods under deletion."""
    from unstuck_lab import agent

    wide = "crd,clusterrole,clusterrolebinding,validatingadmissionpolicy,validatingadmissionpolicybinding"
    inside = "daemonset,controllerrevision,serviceaccount,role,rolebinding,secret,configmap,resourcequota"
    found = {name for name in lab.run_kubectl("get", wide, "-o", "name").split() if "unstuck" in name}
    return (
        found
        | set(lab.run_kubectl("get", inside, "-n", agent.NAMESPACE, "-o", "name").split())
        - OF_EVERY_NAMESPACE
    )


OF_EVERY_NAMESPACE = {"serviceaccount/default", "configmap/kube-root-ca.crt"}


def test_it_is_upgraded_without_a_new_pod_where_only_rights_change(lab: Lab, release: bool) -> None:
    if not release:
        pytest.skip("the release that is there is somebody's")
    from unstuck_lab import agent

    daemon_set = f"/apis/apps/v1/namespaces/{agent.NAMESPACE}/daemonsets/{agent.DAEMON_SET}"
    before = lab.request("GET", daemon_set)["metadata"]["generation"]
    agent.install(
        lab, ["--set-json", 'access.askers=[{"kind":"ServiceAccount","name":"e2e","namespace":"default"}]']
    )
    assert lab.get(f"/apis/rbac.authorization.k8s.io/v1/namespaces/{agent.NAMESPACE}/rolebindings/asker")
    assert lab.request("GET", daemon_set)["metadata"]["generation"] == before
    agent.install(lab)
    assert (
        lab.get(f"/apis/rbac.authorization.k8s.io/v1/namespaces/{agent.NAMESPACE}/rolebindings/asker") is None
    )


def test_uninstalled_it_leaves_nothing_and_can_be_installed_again(lab: Lab, release: bool) -> None:
    if not release:
        pytest.skip("the release that is there is somebody's")
    from unstuck_lab import agent

    assert left(lab)
    agent.take_down(lab, print)
    lab.wait(lambda: not left(lab), 30, "nothing left")
    agent.install(lab)
    assert left(lab)
