"""The server behind a URL, by its host, port and path, and what its HTTP status means there.

Sources: Kubernetes documentation (API concepts; kubelet authentication and authorization), kube-aggregator
pkg/controllers/status/remote (`bad status from`), OCI distribution spec (`/v2/`), Vault API documentation
(`/v1/auth`), AWS and Google documentation of the metadata service, Prometheus HTTP API, Helm chart
repositories (`index.yaml`), Go src/net/http/transport.go (dialConn).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

Peer = Literal[
    "aggregated",
    "api-server",
    "charts",
    "kubelet",
    "metadata",
    "prometheus",
    "proxy",
    "registry",
    "vault",
    "webhook",
    "",
]
_URL = regex(
    r"https?://(?P<host>\[[0-9a-f:]{2,45}\]|[^\s/:\"'<>\\]{1,253})(?::(?P<port>\d{1,5}))?(?P<path>/[^\s\"'<>\\]*)?"
)
# Prometheus' own endpoints lie below the same /api/v1 as the API server's.
_OF_PROMETHEUS = r"(?:query|query_range|series|labels?|targets|rules|alerts|metadata|write|read|status)"
# The first row that fits counts: the words of the line, or the host, the port and the path.
_PEERS: tuple[tuple[Peer, re.Pattern[str]], ...] = (
    (
        "metadata",
        regex(r"^(?:169\.254\.(?:169\.254|170\.\d{1,3})|metadata\.google\.internal|metadata)(?:[:/]|$)"),
    ),
    ("kubelet", regex(r":(?:10250|10255)(?:/|$)")),
    ("webhook", regex(r"\?(?:.{0,100}&)?timeout=\d{1,3}m?s\b")),
    ("prometheus", regex(rf"/api/v1/{_OF_PROMETHEUS}(?:[/?]|$)|/-/reload")),
    ("vault", regex(r"/v1/(?:auth|secret|sys|kv|pki|database|transit|identity)(?:/|$)")),
    (
        "api-server",
        regex(
            r"(?:/api/v1|/apis|/openapi/v\d)(?:[/?]|$)|^(?:kubernetes(?:\.default)?\b|\S{1,253}:6443(?:/|$))"
        ),
    ),
    ("charts", regex(r"/index\.yaml(?:[?]|$)")),
    ("registry", regex(r"/v2/")),
)
_AGGREGATED = "bad status from "
_REQUEST = regex(
    r"/(?:api|apis/(?P<group>[a-z0-9.-]{1,253}))/v\w{1,20}/(?:namespaces/(?P<space>[a-z0-9-]{1,63})/)?(?P<resource>[a-z]{2,63})"
    r"(?:/(?P<name>[a-z0-9][a-z0-9.-]{0,252}))?(?:\?(?P<query>\S{0,1000}))?$"
)
_VERBS: Mapping[str, str] = MappingProxyType(
    {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
)


@record()
class ApiRequest(Record):
    """A request to the API server, as RBAC has it. resource: with its group: `jobs.batch`."""

    verb: str
    resource: str
    namespace: str | None


def find_peer(url: str, line: str) -> Peer:
    """Return the sort of the server that answers at a URL; "" if its sort is unknown."""
    if _AGGREGATED in line:
        return "aggregated"
    found = _URL.match(url)
    if found is None:
        return ""
    at = f"{found['host']}{':' + found['port'] if found['port'] else ''}{found['path'] or ''}"
    return next((peer for peer, said in _PEERS if said.search(at)), "")


def find_url(line: str) -> str:
    """Return the first URL of a line, "" without one."""
    found = _URL.search(line)
    return found[0].rstrip(".,;:)]}") if found else ""


def read_api_request(verb: str, url: str) -> ApiRequest | None:
    """Return what a request to the API server asks for; None if its path names no resource."""
    found = _REQUEST.search(url)
    if found is None:
        return None
    read = "watch" if "watch=" in (found["query"] or "") else "get" if found["name"] else "list"
    resource = ".".join(filter(None, (found["resource"], found["group"])))
    return ApiRequest(_VERBS.get(verb.upper(), read), resource, found["space"])


def name_peer(peer: Peer) -> Text:
    """Return a peer's name in a sentence."""
    return _NAMES[peer]


def advise(peer: Peer, status: int) -> Text | None:
    """Return what this status means at this peer, and what to change there; None where it means the same as
    at any server.
    """
    return _ADVICE.get((peer, status))


def look_at(peer: Peer, url: str) -> tuple[Step, ...]:
    """Return the step that shows this cluster's side of the request; none if there is nothing to see."""
    if peer == "aggregated" and (found := _GROUP.search(url)):
        served = given.obj("apiservice", f"{found['v']}.{found['g']}")
        return (Step(_SERVED, command=command("kubectl get {served} -o yaml", served=served)),)
    return (Step(_HOOKS, command=_WEBHOOKS),) if peer == "webhook" else ()


_SERVED = say("see which Service is behind it, and whether it is available")
_HOOKS = say("see which webhook has this address, and its path")
_WEBHOOKS = command("kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml")
_GROUP = regex(r"/apis/(?P<g>[a-z0-9.-]{1,253})/(?P<v>v\w{1,20})$")
_NAMES: Mapping[Peer, Text] = MappingProxyType(
    {
        "": say("a server"),
        "aggregated": say("the server behind an APIService"),
        "api-server": say("the API server"),
        "charts": say("the chart repository"),
        "kubelet": say("a kubelet"),
        "metadata": say("the cloud's metadata service"),
        "prometheus": say("Prometheus or a proxy in front of it"),
        "proxy": say("the HTTP proxy between the client and the server"),
        "registry": say("the registry"),
        "vault": say("Vault"),
        "webhook": say("a webhook's server"),
    }
)
NO_PROXY = say(
    "add the addresses that need no proxy to NO_PROXY where this client runs (the API server, .svc, "
    ".cluster.local, the Pod and Service ranges), or let the proxy allow this address"
)
_FRONT_PROXY = say(
    "make it trust the API server's front-proxy certificate (--requestheader-client-ca-file, or the "
    "ConfigMap kube-system/extension-apiserver-authentication), and make sure that no HTTP proxy is "
    "between the two (NO_PROXY of the API server)"
)
_ROLE = say(
    "attach a role to the instance, or give the Pod an identity of its own; with IMDSv2, a Pod outside the"
    " host network needs a hop limit of 2"
)
_OF_KUBELET = say(
    "let the client present a token or certificate that the kubelet accepts (authentication.webhook and "
    "clientCAFile in its configuration), and grant its identity access to nodes/metrics, nodes/stats or "
    "nodes/proxy"
)
_LOGIN = say("set the user name and password, or the token, in the Secret that this client uses")
_LOGS_ON = say(
    "let the client send credentials that the proxy in front accepts (a token, basic authentication), or "
    "let it use the Service inside the cluster"
)
_ADVICE: Mapping[tuple[Peer, int], Text] = MappingProxyType(
    {
        ("aggregated", 401): _FRONT_PROXY,
        ("api-server", 401): say(
            "present a token or certificate that this cluster knows and that has not expired: a join token"
            " from its server, or a ServiceAccount token of this cluster"
        ),
        ("aggregated", 403): _FRONT_PROXY,
        ("charts", 401): _LOGIN,
        ("charts", 403): _LOGIN,
        ("kubelet", 401): _OF_KUBELET,
        ("kubelet", 403): _OF_KUBELET,
        ("metadata", 401): _ROLE,
        ("metadata", 403): _ROLE,
        ("metadata", 404): _ROLE,
        ("prometheus", 401): _LOGS_ON,
        ("prometheus", 403): _LOGS_ON,
        ("prometheus", 404): say(
            "correct the address: it needs the path prefix under which Prometheus is served"
        ),
        ("registry", 401): _LOGIN,
        ("registry", 403): say("grant this user access to the repository, or log in as a user that has it"),
        ("webhook", 403): NO_PROXY,
        ("webhook", 404): say(
            "correct the path in the webhook's clientConfig, or run a version of the webhook that serves it"
        ),
    }
)
