"""Requests to the lab's API server as another user: with a ServiceAccount's token, or by impersonation."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from unstuck_lab import Lab

NODE, POD = "authentication.kubernetes.io/node-name", "authentication.kubernetes.io/pod-name"


@dataclass(frozen=True)
class Caller:
    """A caller. headers: besides those of JSON, such as Authorization."""

    server: str
    authority: str
    headers: Mapping[str, str] = field(repr=False)

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, dict[str, Any]]:
        """Send a request and return the answer's status and JSON body."""
        context = ssl.create_default_context(cafile=self.authority)
        connection = http.client.HTTPSConnection(urlsplit(self.server).netloc, context=context, timeout=30)
        try:
            sent = {"Content-Type": "application/json", "Accept": "application/json", **self.headers}
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


def write_kubeconfig(lab: Lab, token: str) -> Caller:
    return Caller(lab.server, str(lab.paths.pki / "ca.crt"), {"Authorization": f"Bearer {token}"})


def write_impersonating_kubeconfig(lab: Lab, user: str, extra: Mapping[str, str]) -> Caller:
    """Write a kubeconfig that impersonates a token's identity, for tokens no longer issued by the server."""
    # An extra's key is part of the header's name, with "/" as %2f (KEP-541).
    more = {f"Impersonate-Extra-{k.replace('/', '%2f')}": v for k, v in extra.items()}
    namespace = user.split(":")[2]
    groups = {"Impersonate-Group": f"system:serviceaccounts:{namespace}"}
    admin = {"Authorization": f"Bearer {lab.read_token('lab-admin')}"}
    return Caller(
        lab.server, str(lab.paths.pki / "ca.crt"), {**admin, "Impersonate-User": user, **groups, **more}
    )


def write_account_kubeconfig(
    lab: Lab, namespace: str, name: str, pod: Mapping[str, Any] | None = None, asked_by: str = "lab-admin"
) -> Caller:
    """Write a kubeconfig with a token of a ServiceAccount, bound to a Pod if given. asked_by: the requester
    of the token.
    """
    status, answer = request_token(lab, namespace, name, pod, asked_by)
    assert status == 201, answer
    return write_kubeconfig(lab, answer["status"]["token"])


def request_token(
    lab: Lab, namespace: str, name: str, pod: Mapping[str, Any] | None = None, asked_by: str = "lab-admin"
) -> tuple[int, dict[str, Any]]:
    """Return the answer to a TokenRequest."""
    spec: dict[str, Any] = {"expirationSeconds": 600}
    if pod is not None:
        spec["boundObjectRef"] = {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": pod["metadata"]["name"],
            "uid": pod["metadata"]["uid"],
        }
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
    return write_kubeconfig(lab, lab.read_token(asked_by)).ask("POST", path, body)
