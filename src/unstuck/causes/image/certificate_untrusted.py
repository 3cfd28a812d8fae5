"""The runtime does not accept the certificate of the image's registry

## How it happens

The registry answers with a certificate that the Node's runtime has no reason to trust: signed by an authority
of the company's own that is not installed on the Node, self-signed, expired, made for another name or without
the address that the image names, or put in between by a proxy that looks into TLS. A Secret cannot help: the
runtime stops before it shows any credentials.

## How to tell

`x509: certificate signed by unknown authority`, `x509: certificate has expired or is not yet valid`, `x509:
certificate is valid for a, not b`, in the kubelet's words about its own pull, repeated, with the container
still waiting for the image. Each Node has its own list of authorities: one Node may pull an image that
another cannot.

## Known limits

Where the certificate reads as not yet valid, or expired on one Node alone, look at that Node's clock first.
containerd does not read docker's `/etc/docker/certs.d` and before 1.3 ignored parts of its own TLS settings;
the runtime reads the system's authorities once, at its start. The certificate of the runtime's own proxy
(`proxyconnect tcp`) is not covered.

## References

- Go crypto/x509 (verify.go) as containerd, docker and CRI-O wrap it; containerd docs/hosts.md; containerd
  issue 3804
"""

from __future__ import annotations

from unstuck.causes._certificates import describe_flaw, mend_flaw
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
from unstuck.facts.derive.certificates import CertificateFlaw, find_flaw
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_TRUST = say("add its CA to each node's runtime (containerd: ca in its hosts.toml for this registry)")


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("certificate-untrusted",), lambda failure: not met_proxy(failure))
    return make_signs(
        "the certificate is not accepted",
        one,
        lambda failure: explain_by_config(pod, failure, _make_finding(pod, failure, snap), snap),
    )


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    host, where = failure.host or "REGISTRY", place_on_its_node(pod, snap)
    flaw = find_flaw(failure.message)
    address = host if ":" in host else f"{host}:443"
    return Finding(
        say("the certificate of registry {host}", host=host)
        + (describe_flaw(flaw) if flaw else say(" is not accepted")),
        culprit=make_registry_ref(failure),
        blocks=(pod,),
        notes=(quote_innermost_error(failure),),
        help=(
            Step(
                say("on that node, see the certificate's issuer, names and expiry date"),
                where=where,
                command=command(
                    "curl -skv -o /dev/null --max-time 10 https://{registry}/v2/",
                    registry=given.host(address),
                ),
            ),
            Step(mend_flaw(flaw, _TRUST) if flaw else _TRUST, where=_place(flaw, where), verify=RETRIES),
        ),
        do_not=(
            DoNot(
                say("disable verification (skip_verify, insecure-registries) as a workaround"),
                say("anyone answering under that name could then feed any program to every Pod"),
            ),
        ),
    )


def _place(flaw: CertificateFlaw | None, node: str) -> str:
    """Return the place of the fix: the registry's server, except for a Node's trust store and clock."""
    return node if flaw is None or flaw.flaw in ("self-signed", "untrusted", "early", "dates") else "cluster"


CAUSE = Cause(
    id="image.certificate-untrusted",
    title=say("the runtime rejects the registry's certificate"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
