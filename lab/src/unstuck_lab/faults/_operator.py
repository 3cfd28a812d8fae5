"""A small real operator: it holds a leader election Lease, puts its finalizer on each object of its kind, and
never finishes cleaning up a deleted one, or, with `clears`, removes its finalizer at once.

It is a shell loop around the lab's own kubectl, mounted from the node by hostPath.
"""

from dataclasses import dataclass

from unstuck_lab import build
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import ApiError
from unstuck_lab.faults import _objects, _steps

LOOP = """\
now() { date -u +%Y-%m-%dT%H:%M:%S.000000Z; }
apply() { kubectl apply --server-side --force-conflicts --field-manager="$NAME" -f - ; }
while :; do
  apply <<END
{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "$NAME"},
 "spec": {"holderIdentity": "$HOSTNAME", "leaseDurationSeconds": 15, "renewTime": "$(now)"}}
END
  kubectl get "$PLURAL.$GROUP" \\
    -o 'jsonpath={range .items[*]}{.metadata.name} {.metadata.deletionTimestamp}{"\\n"}{end}' |
  while read -r name deleted; do
    if [ -z "$deleted" ]; then says=watching; else says="waiting for 3 clients of $name to leave"; fi
    if [ -n "$deleted" ] && [ -n "$CLEARS" ]; then
      kubectl patch "$PLURAL.$GROUP" "$name" --type=merge -p '{"metadata":{"finalizers":null}}' && continue
      echo "cannot take the finalizer off $name, trying again"
      continue
    fi
    [ "$says" = "$(cat "/tmp/said-$name" 2>/dev/null)" ] && continue
    apply <<END && echo "$says" > "/tmp/said-$name"
{"apiVersion": "$GROUP/v1", "kind": "$KIND",
 "metadata": {"name": "$name", "finalizers": ["$FINALIZER"], "annotations": {"$GROUP/state": "$says"}}}
END
  done
  touch /tmp/leads
  sleep 8 & wait $!
done
"""


@dataclass(frozen=True)
class Operator:
    """An operator `NAME` in the Namespace `ns` for one kind, with one object of it."""

    ns: str
    name: str
    group: str
    kind: str
    obj: str

    @property
    def plural(self) -> str:
        """Return the plural name, as in the CRD."""
        return self.kind.lower() + "s"

    @property
    def finalizer(self) -> str:
        """Return the finalizer, named after the kind's group, as operators do."""
        return f"{self.group}/cleanup"

    @property
    def subject(self) -> str:
        """Return the object to ask about."""
        return f"{self.kind.lower()}/{self.obj}"

    @property
    def path(self) -> str:
        """Return the object's path."""
        return f"/apis/{self.group}/v1/namespaces/{self.ns}/{self.plural}/{self.obj}"

    @property
    def deployment(self) -> str:
        """Return the Deployment's path."""
        return f"/apis/apps/v1/namespaces/{self.ns}/deployments/{self.name}"

    @property
    def crd(self) -> str:
        """Return the CRD's path."""
        return f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{self.plural}.{self.group}"

    def make_object(self) -> _objects.Object:
        """Return the one object of the kind."""
        return {
            "apiVersion": f"{self.group}/v1",
            "kind": self.kind,
            "metadata": {"name": self.obj, "namespace": self.ns},
            "spec": {"size": 1},
        }


def make_definition(group: str, kind: str) -> _objects.Object:
    """Return a CustomResourceDefinition that allows any fields."""
    names = {"kind": kind, "plural": kind.lower() + "s", "singular": kind.lower(), "listKind": f"{kind}List"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names['plural']}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": names,
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


def define(lab: Lab, ns: str, group: str, kind: str) -> None:
    """Define the kind, create a Namespace for its objects, and wait until the kind is served."""
    lab.apply(_objects.make_namespace(ns), make_definition(group, kind))
    path = f"/apis/{group}/v1/namespaces/{ns}/{kind.lower()}s"
    lab.wait(lambda: lab.get(path) is not None, 30, f"kind {kind}.{group} served")


def install(lab: Lab, operator: Operator, *, clears: bool = False) -> None:
    """Install the operator with its object, and wait until the object has the finalizer and the Pod
    is ready.
    """
    define(lab, operator.ns, operator.group, operator.kind)
    lab.apply(operator.make_object(), *_make_rights(operator), _make_workload(lab, operator, clears))

    def is_adopted() -> bool:
        found = lab.get(operator.path)
        workload = lab.get(operator.deployment)
        ready = workload["status"].get("readyReplicas") if workload else 0
        return bool(found and found["metadata"].get("finalizers") and ready)

    lab.wait(is_adopted, 60, f"finalizer of {operator.name}")


def _make_rights(operator: Operator) -> list[_objects.Object]:
    meta = {"name": operator.name, "namespace": operator.ns}
    group = "rbac.authorization.k8s.io"
    rules = [
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["*"]},
        {"apiGroups": [operator.group], "resources": ["*"], "verbs": ["*"]},
    ]
    account = {"kind": "ServiceAccount", "name": operator.name, "namespace": operator.ns}
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta},
        {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": meta, "rules": rules},
        {
            "apiVersion": f"{group}/v1",
            "kind": "RoleBinding",
            "metadata": meta,
            "roleRef": {"apiGroup": group, "kind": "Role", "name": operator.name},
            "subjects": [account],
        },
    ]


def _make_workload(lab: Lab, operator: Operator, clears: bool) -> _objects.Object:
    program = build.locate_programs(lab.paths).locate("kubectl")
    values = {
        "NAME": operator.name,
        "GROUP": operator.group,
        "KIND": operator.kind,
        "PLURAL": operator.plural,
        "FINALIZER": operator.finalizer,
        "CLEARS": "yes" if clears else "",
        "HOME": "/tmp",
    }
    template = _objects.make_pod(
        operator.ns,
        operator.name,
        container={
            "command": ["sh", "-c", f"trap 'exit 0' TERM; {LOOP}"],
            "env": [{"name": name, "value": value} for name, value in values.items()],
            "readinessProbe": {"exec": {"command": ["test", "-e", "/tmp/leads"]}, "periodSeconds": 2},
            "volumeMounts": [
                {"name": "kubectl", "mountPath": "/usr/bin/kubectl"},
                {"name": "tmp", "mountPath": "/tmp"},
            ],
        },
        volumes=[
            {"name": "kubectl", "hostPath": {"path": program, "type": "File"}},
            {"name": "tmp", "emptyDir": {}},
        ],
        serviceAccountName=operator.name,
        terminationGracePeriodSeconds=2,
    )
    labels = {"app": operator.name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": operator.name, "namespace": operator.ns, "labels": labels},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": template["spec"]},
        },
    }


def list_pods(lab: Lab, operator: Operator) -> list[str]:
    """List the names of the operator's Pods."""
    listing = lab.request("GET", f"/api/v1/namespaces/{operator.ns}/pods?labelSelector=app%3D{operator.name}")
    return [str(item["metadata"]["name"]) for item in listing["items"]]


def find_deletion(lab: Lab, operator: Operator) -> str | None:
    """Return the object and its finalizers while it is being deleted; else None."""
    found = lab.get(operator.path)
    if not found or "deletionTimestamp" not in found["metadata"]:
        return None
    return f"{operator.subject} finalizers {found['metadata'].get('finalizers')}"


def remove(lab: Lab, operator: Operator) -> None:
    """Remove the operator, its object and its kind."""
    _steps.delete(lab, operator.deployment)
    lab.wait(lambda: not list_pods(lab, operator), 60, f"end of {operator.name}")
    try:
        _steps.clear_finalizers(lab, operator.path)
        _steps.delete(lab, operator.path)
    except ApiError as error:
        if error.code != 404:
            raise
    _steps.delete(lab, operator.crd)
    _steps.remove_namespace(lab, operator.ns)
