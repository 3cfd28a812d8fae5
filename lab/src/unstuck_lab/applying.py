"""Creates objects like `kubectl apply`, with API requests only: each start of kubectl reads the schema of
every type, which takes more processor time than a question about a fault.
"""

from collections.abc import Callable
from typing import Any

from unstuck_lab.errors import ApiError
from unstuck_lab.shell import wait_for

Object = dict[str, Any]
Ask = Callable[..., Object]
# The field manager and strictness of kubectl.
_AS = "fieldManager=kubectl-client-side-apply&fieldValidation=Strict"
_SERVED = 10  # seconds until a newly defined type is served
# By group version and kind: the plural, and whether it is namespaced. Only Kubernetes' own types, which do
# not change.
_KNOWN: dict[str, dict[str, tuple[str, bool]]] = {}


def put(ask: Ask, made: Object) -> None:
    """Create one object, or set only the given fields of an existing one. ask: `Lab.request`. Raises
    `LabError`.
    """
    version, kind = str(made["apiVersion"]), str(made["kind"])
    top = f"/api/{version}" if version == "v1" else f"/apis/{version}"
    plural, namespaced = wait_for(
        lambda: _list_types(ask, top).get(kind), _SERVED, f"{kind} of {version} is served"
    )
    within = f"/namespaces/{made['metadata'].get('namespace', 'default')}" if namespaced else ""
    try:
        ask("POST", f"{top}{within}/{plural}?{_AS}", made)
    except ApiError as error:
        if error.reason != "AlreadyExists":
            raise
        path = f"{top}{within}/{plural}/{made['metadata']['name']}?{_AS}&force=true"
        ask("PATCH", path, made, content_type="application/apply-patch+yaml")


def _list_types(ask: Ask, top: str) -> dict[str, tuple[str, bool]]:
    """List the resources served in a group version; none if it is not served (yet)."""
    if top in _KNOWN:
        return _KNOWN[top]
    try:
        rows = ask("GET", top)["resources"]
    except ApiError as error:
        if error.code != 404:
            raise
        return {}
    found = {row["kind"]: (row["name"], row["namespaced"]) for row in rows if "/" not in row["name"]}
    group = top.split("/")[2]
    if "." not in group or group.endswith(".k8s.io"):
        _KNOWN[top] = found
    return found
