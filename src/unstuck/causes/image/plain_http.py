"""The registry serves plain HTTP but the runtime uses TLS

## How it happens

The image's registry listens without TLS, on that port or at all. A runtime speaks TLS to every registry
except those configured otherwise (and, with some runtimes, `localhost`), so the handshake gets an answer that
is not TLS.

## How to tell

`http: server gave HTTP response to HTTPS client`, or `tls: first record does not look like a TLS handshake`,
in the kubelet's words about its own pull, repeated, with the container still waiting for the image.

## Known limits

The second wording means only that the other side does not speak TLS; a proxy that answers on its own looks
the same. An answer of the runtime's own proxy (`proxyconnect tcp`) is not covered. The setting that allows
plain HTTP is the runtime's own: containerd does not read docker's `insecure-registries`.

## References

- Go net/http (transport.go), crypto/tls (conn.go); containerd docs/hosts.md; docs.docker.com (insecure
  registries)
"""

from __future__ import annotations

from unstuck.causes.image._pull import (
    READS,
    RETRIES,
    STAGES,
    explain_by_config,
    make_registry_ref,
    make_signs,
    met_proxy,
    place_on_its_node,
    pull,
    quote_innermost_error,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("plain-http",), lambda failure: not met_proxy(failure))
    return make_signs(
        "the registry does not speak TLS",
        one,
        lambda failure: explain_by_config(pod, failure, _make_finding(pod, failure, snap), snap),
    )


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    host, where = failure.host or "REGISTRY", place_on_its_node(pod, snap)
    port = "" if ":" in host else ":443"
    return Finding(
        say("registry {host} serves plain HTTP, but the runtime uses TLS", host=host),
        culprit=make_registry_ref(failure),
        blocks=(pod,),
        notes=(quote_innermost_error(failure),),
        help=(
            Step(
                say("on that node, see what the registry answers without TLS"),
                where=where,
                command=command(
                    "curl -sv -o /dev/null --max-time 10 http://{registry}/v2/",
                    registry=given.host(f"{host}{port}"),
                ),
            ),
            Step(
                say("serve the registry over TLS, or use its TLS port in the image name"),
                where="source",
                verify=RETRIES,
            ),
            Step(
                say(
                    "if it must stay without TLS, on a trusted network: configure every node's runtime to "
                    "use http for this one registry (containerd: server in its hosts.toml for this registry)"
                ),
                where=where,
                verify=RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("allow plain HTTP for every registry"),
                say("anyone in between could then feed any program to every Pod, and read the credentials"),
            ),
        ),
    )


CAUSE = Cause(
    id="image.plain-http",
    title=say("the registry serves plain HTTP but the runtime uses TLS"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
