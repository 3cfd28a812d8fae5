"""The rules of `knowledge/names.py` match the API server's, and a command about an object with an odd name
finds that object.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.command import make_environment
from unstuck.diagnosis import given
from unstuck.diagnosis.command import Command, command
from unstuck.knowledge.names import RULES

if TYPE_CHECKING:
    from unstuck_lab import Lab

pytestmark = pytest.mark.e2e

NS = "e2e-names"
ODD = (
    "--all",
    "-A",
    "x;id",
    "$(id)",
    "`id`",
    "a b",
    "a'b",
    'a"b',
    "a,b",
    "A",
    "a_b",
    "a:b",
    "é",
    "x" * 254,
    "../x",
    ".",
    "a/b",
    "a%b",
)
NAMES = ("web-0", "a.b", "1x", "x" * 63, "x" * 64, "x" * 253, *ODD)
# A row of the table allows more than 1.34 accepts for new objects: older objects keep their names, and a
# feature gate permits a leading digit.
WIDER = {
    "StatefulSet": {"a.b", "x" * 64, "x" * 253},
    "Service": {"1x"},
    "CronJob": {"x" * 63, "x" * 64, "x" * 253},
}
# Whether a name is a path segment is checked last, for otherwise valid objects. A certificate request without
# a requester.
REQUEST = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITE1ISUNBUUF3RURFT01Bd0dBMVVFQXd3RmJtRnRaWE13V1RBVEJnY3Foa2"
    "pPUFFJQkJnZ3Foa2pPUFFNQgpCd05DQUFTU0oveFMyeGlFa3RQMDZIQTMvc3FiaDE5eVo5UWNjWmpNcTRJOWd4Z2xRbmR2eWNKS2hvaVRaSFhY"
    "CmpsL0dQR2tocXZGVU10dWd5MVZSMG1rRVRlNWJvQUF3Q2dZSUtvWkl6ajBFQXdJRFNRQXdSZ0loQUswcTNaeVMKSjFIRTVhRkZVb1NzcXI0Q2"
    "MzMC9LcFF5VEhqbnk2SkNtdEQvQWlFQWtjQ1VsVFRxdEo2ZUp6K3pYbEFEM1h4TQo1UHhIZFdsL2djV3ZLZ1pRamkwPQotLS0tLUVORCBDRVJU"
    "SUZJQ0FURSBSRVFVRVNULS0tLS0K"
)
RIGHT: dict[str, dict[str, Any]] = {
    "CertificateSigningRequest": {
        "spec": {"request": REQUEST, "signerName": "example.com/nobody", "usages": ["digital signature"]}
    },
    "PodDisruptionBudget": {"spec": {"minAvailable": 1}},
    "Event": {"involvedObject": {"kind": "Pod", "namespace": NS, "name": "p"}},
}
# Not in any version served by default.
NOT_SERVED = {"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"}
# Errors about a name in other fields, which must be valid names as well.
OTHERWISE = {"APIService", "CustomResourceDefinition"}


@pytest.fixture(scope="module")
def paths(lab: Lab) -> Iterator[dict[str, tuple[str, str]]]:
    """Return for each kind its API version and the path for creation."""
    lab.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NS}})
    rows = [
        line.split()
        for line in lab.run_kubectl("api-resources", "--no-headers", "--verbs=create").splitlines()
    ]
    found = {}
    for plural, *_, version, namespaced, kind in rows:
        within = f"/namespaces/{NS}" if namespaced == "true" else ""
        found.setdefault(
            kind, (version, f"{'/apis/' if '/' in version else '/api/'}{version}{within}/{plural}")
        )
    yield found
    lab.run_kubectl("delete", "namespace", NS, "--wait=false")


def taken(lab: Lab, made: dict[str, Any], path: str) -> bool:
    """Tell whether the server accepts the name; other errors come in the same answer."""
    from unstuck_lab.api import ApiError

    try:
        lab.request("POST", f"{path}?dryRun=All&fieldValidation=Ignore", made)
    except ApiError as error:
        assert error.code in (400, 403, 404, 409, 422, 500), error
        return "metadata.name" not in str(error) and "name may not" not in str(error)
    return True


@pytest.mark.parametrize("kind", sorted(RULES.keys() - NOT_SERVED - OTHERWISE))
def test_the_server_takes_the_names_that_the_table_allows(
    lab: Lab, paths: dict[str, tuple[str, str]], kind: str
) -> None:
    version, path = paths[kind]
    wrong = {}
    for name in NAMES:
        made = {
            "apiVersion": version,
            "kind": kind,
            "metadata": {"name": name},
            **RIGHT.get(kind, {"spec": {}}),
        }
        if (there := taken(lab, made, path)) != RULES[kind].allows(name):
            wrong[name] = there
    assert wrong == dict.fromkeys(WIDER.get(kind, ()), False)


BODIES: dict[str, dict[str, Any]] = {
    "Role": {"rules": []},
    "PodDisruptionBudget": {"spec": {"minAvailable": 0}},
}
REFERRING: dict[str, dict[str, Any]] = {
    "pods": {
        "kind": "Pod",
        "spec": {
            "serviceAccountName": "default",
            "imagePullSecrets": [{"name": "--all"}, {"name": "$(id)\n"}],
            "containers": [{"name": "c", "image": "i"}],
            "volumes": [
                {"name": "s", "secret": {"secretName": "x;id #"}},
                {"name": "m", "configMap": {"name": "--all"}},
                {"name": "p", "persistentVolumeClaim": {"claimName": "`id`"}},
            ],
        },
    },
    "persistentvolumeclaims": {
        "kind": "PersistentVolumeClaim",
        "spec": {
            "volumeName": "pv;id #",
            "storageClassName": "",
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    },
}


@pytest.mark.parametrize("resource", sorted(REFERRING))
def test_what_refers_to_another_object_is_not_checked(
    lab: Lab, paths: dict[str, tuple[str, str]], resource: str
) -> None:
    del paths
    made = {"apiVersion": "v1", "metadata": {"name": "names"}, **REFERRING[resource]}
    assert (
        lab.request("POST", f"/api/v1/namespaces/{NS}/{resource}?dryRun=All", made)["spec"].keys()
        >= REFERRING[resource]["spec"].keys()
    )


@pytest.mark.parametrize("name", [n for n in ODD if RULES["Role"].allows(n)])
def test_a_command_about_an_object_with_an_odd_name_finds_it(
    lab: Lab, paths: dict[str, tuple[str, str]], name: str
) -> None:
    """By the shell and by kubectl itself: the one object, and no other that is there."""
    for kind, (_, path) in ((k, paths[k]) for k in ("Role", "PodDisruptionBudget")):
        version = paths[kind][0]
        for each in (name, "other"):
            lab.apply(
                {
                    "apiVersion": version,
                    "kind": kind,
                    "metadata": {"name": each, "namespace": NS},
                    **BODIES[kind],
                }
            )
        told = command(
            "kubectl get {object} {space} -o name", object=given.obj(kind, name), space=given.namespace(NS)
        )
        assert by_shell(lab, told).strip().partition("/")[2] == name, path
        by_shell(
            lab,
            command(
                "kubectl delete {object} {space} --wait=false",
                object=given.obj(kind, name),
                space=given.namespace(NS),
            ),
        )
        left = json.loads(lab.run_kubectl("get", kind.lower(), "-n", NS, "-o", "json"))["items"]
        assert [one["metadata"]["name"] for one in left] == ["other"]


def by_shell(lab: Lab, told: Command) -> str:
    """Run the line in a shell like a pasted one, with the lab's kubectl."""
    from unstuck_lab import shell

    typed = told.line.replace("kubectl", str(lab.kubectl_command[0]), 1)
    return shell.run(["sh", "-c", typed], env=make_environment(lab.kubeconfig))
