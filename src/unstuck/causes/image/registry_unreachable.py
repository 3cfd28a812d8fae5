"""The registry of the image cannot be reached from the Node

## How it happens

The kubelet has the runtime pull an image, and the registry's address refuses the connection, does not answer,
or has no route to it: the registry is down, a firewall or a missing proxy lies between, the name points to an
old address, or `localhost` was meant for another machine than the Node. If the runtime uses a proxy, the same
may be true of the proxy; or the registry's front end reports that its backend does not answer (502, 503,
504); or the connection is cut in the middle (`connection reset by peer`, `EOF`), as firewalls and overloaded
mirrors do. Or another server answers in its place with a web page: a proxy that blocks the address or asks
for a login, a portal, a server that is no mirror.

## How to tell

The kubelet's own words about its own attempt: `dial tcp …: connect: connection refused`, `i/o timeout`, `no
route to host`, repeated, with the container still waiting for the image. No other Node's success speaks
against it: each Node has its own way to the registry.

## Known limits

The name cannot be resolved, a certificate is not trusted, credentials are refused, the image is not found:
these are other causes, the registry or its name service answered. An answer that it cannot serve now (5xx), a
connection that is cut, and a web page in place of an answer (`unexpected media type text/html`, `invalid
character '<' looking for beginning of value`), are `likely` at most. Where one attempt failed so
and the last one otherwise, the last one counts. Whether the registry or the way to it is at fault cannot be
seen from here.

## References

- Go net and net/http errors as containerd, docker and CRI-O wrap them; Kubernetes
  pkg/kubelet/images/image_manager.go
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from unstuck.causes._commands import place_on_node
from unstuck.causes.image._pull import (
    KEEP_PODS,
    READS,
    RETRIES,
    STAGES,
    bracket_image,
    explain_by_config,
    make_registry_ref,
    make_signs,
    pull,
    quote_innermost_error,
    use_present_image,
)
from unstuck.diagnosis import given, look_commands
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import Command, Words, command
from unstuck.diagnosis.objects_named import find_address_of_host
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord

say = Messages(__name__)

_UNREACHABLE: tuple[ErrorWord, ...] = ("connection-refused", "timeout", "EHOSTUNREACH", "ENETUNREACH")
_ANSWERS: tuple[ErrorWord, ...] = ("server-error", "html-answer", "connection-cut")
_PAGE = say(
    "a registry answers 200 or 401 with the header Docker-Distribution-Api-Version; any other answer comes "
    "from something else"
)
# Whom the runtime really asks.
_REAL: Mapping[str, str] = MappingProxyType({"docker.io": "registry-1.docker.io"})
_PROXY = regex(r"proxyconnect tcp: dial tcp (?P<address>\S{1,260}?):? ")


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, _UNREACHABLE)
    alive = pull(pod, snap, _ANSWERS)
    # Only a server behind the registry's front end may be down, or a page may be the registry's own:
    # reported, and never proven from here.
    found = (
        one
        if one.mine.value or not alive.mine.value
        else replace(alive, repeated=Sign(None, alive.mine.hits, alive.mine.seen))
    )
    return make_signs(
        "no way to the registry",
        found,
        lambda failure: explain_by_config(pod, failure, _make_finding(pod, failure, snap), snap),
    )


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    node = find_node_of_pod(pod, snap)
    where = place_on_node(node.name if node else None)
    return Finding(
        _says(failure, node),
        culprit=_choose_culprit(failure),
        blocks=(pod,),
        notes=(quote_innermost_error(failure),),
        help=(
            *(_advise_proxy(failure, where) or _make_direct_steps(failure, where)),
            *use_present_image(pod, failure, snap),
        ),
        do_not=(KEEP_PODS,),
    )


def _make_direct_steps(failure: Failure, where: str) -> tuple[Step, ...]:
    """Return the look from the node, and the steps by the registry's operator and its answer.

    Clients cannot start a public registry; a refused connection shows that a host is reachable at the
    address.
    """
    host = failure.host or ""
    own, answers = _is_own(host), failure.error in _ANSWERS
    refused = failure.error == "connection-refused"
    return fitting(
        Step(
            say("on that node, check whether the registry responds"),
            where=where,
            command=_make_curl_command(failure),
            verify=_PAGE if failure.error == "html-answer" else None,
        ),
        Remedy(
            bool(host) and not answers and not host.replace(".", "").replace(":", "").isdigit(),
            Step(
                say(
                    "on that node, see which address the name has there: by its DNS, "
                    "or by a line of /etc/hosts"
                ),
                where=where,
                command=look_commands.resolving(_REAL.get(host, host).partition(":")[0]),
            ),
        ),
        Remedy(own and not answers, Step(say("start the registry if it is down there"), verify=RETRIES)),
        Remedy(
            refused,
            Step(
                say(
                    "correct what leads there: the address that the node has for the name, the port, or the "
                    "runtime's mirror and proxy settings"
                ),
                verify=RETRIES,
            ),
        ),
        Remedy(
            not refused and not answers,
            Step(say("open the way from the node: firewall, routes, or the runtime's proxy"), verify=RETRIES),
        ),
        Remedy(
            failure.error == "html-answer",
            Step(
                say("let the node pass the proxy that answers, or correct the registry's address"),
                verify=RETRIES,
            ),
        ),
        Remedy(
            own and failure.error in ("server-error", "connection-cut"),
            Step(
                say("see what the registry's own log says, and whether its storage answers"), verify=RETRIES
            ),
        ),
    )


def _is_own(host: str) -> bool:
    """Tell whether the cluster's owner runs the registry: its name or address is not public, or its port is
    unusual.
    """
    name, _, port = host.partition(":")
    return (
        port not in ("", "443")
        or "." not in name
        or find_address_of_host(name) is not None
        or name.endswith((".local", ".internal", ".lan", ".svc"))
    )


def _advise_proxy(failure: Failure, where: str) -> tuple[Step, ...]:
    """Return the steps for an unreachable proxy; () if there is none on the way."""
    proxy = _find_proxy(failure)
    if proxy is None:
        return ()
    return (
        Step(
            say("on that node, check whether the proxy responds"),
            where=where,
            command=_make_curl_command(failure, given.host(proxy)),
        ),
        Step(
            say(
                "start the proxy, or correct the runtime's own proxy settings (HTTPS_PROXY and NO_PROXY of "
                "its unit) and restart the runtime; a loopback address there means the node itself, not the "
                "machine of the person who set it"
            ),
            where=where,
            risk="disrupts",
            verify=RETRIES,
        ),
    )


def _find_proxy(failure: Failure) -> str | None:
    """Return the runtime's proxy, if the failed connection was to it."""
    found = _PROXY.search(failure.message)
    return found["address"].removesuffix(":") if found else None


def _choose_culprit(failure: Failure) -> Ref:
    proxy = _find_proxy(failure)
    return Ref("Proxy", None, proxy) if proxy else make_registry_ref(failure)


def _says(failure: Failure, node: Ref | None) -> Text:
    host, proxy = failure.host or "?", _find_proxy(failure)
    at = say(" from Node {node}", node=node.name) if node else NO_TEXT
    if failure.error == "html-answer":
        return say(
            (
                "a web page answers instead of registry {host}{named}: from a proxy that blocks or "
                "requires a login, or from another server"
            ),
            host=host,
            named=bracket_image(failure),
        )
    if failure.error == "connection-cut":
        return say("the connection to registry {host} is cut during use", host=host) + at
    if failure.error in _ANSWERS:
        code = failure.message.rpartition(": ")[2]
        return say(
            "registry {host} cannot serve{named}: it answers {code}",
            host=host,
            named=bracket_image(failure),
            code=code,
        )
    how = {
        "connection-refused": say("refuses the connection"),
        "timeout": say("does not answer"),
        "EHOSTUNREACH": say("cannot be reached (no route to host)"),
        "ENETUNREACH": say("cannot be reached: there is no route to it"),
    }.get(failure.error, say("cannot be reached"))
    if proxy:
        whole = say(
            "the runtime's proxy {proxy}, used for registry {host}, {how}", proxy=proxy, host=host, how=how
        )
        return whole + at
    return say("registry {host} {how}", host=host, how=how) + at


def _make_curl_command(failure: Failure, proxy: Words = given.NOTHING) -> Command:
    asked = _request_url(failure.host or "REGISTRY", failure.message)
    plain, registry_ = asked.startswith("http:"), given.host(asked.split("/")[2])
    if plain:
        return command(
            "curl -sv -o /dev/null --max-time 10 --proxy=http://{proxy} http://{registry}/v2/",
            proxy=proxy,
            registry=registry_,
        )
    return command(
        "curl -sv -o /dev/null --max-time 10 --proxy=http://{proxy} https://{registry}/v2/",
        proxy=proxy,
        registry=registry_,
    )


def _request_url(host: str, message: str) -> str:
    """Return the runtime's request: it skips TLS only for a registry that is configured so, and its message
    shows that.
    """
    host = _REAL.get(host, host)
    scheme = "http" if re.search(rf"\bhttp://{re.escape(host)}/", message) else "https"
    port = "" if ":" in host else {"http": ":80", "https": ":443"}[scheme]
    return f"{scheme}://{host}{port}/v2/"


CAUSE = Cause(
    id="image.registry-unreachable",
    title=say("the image's registry is unreachable from the node"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Containers},
    rule=_rule,
)
