"""Describe a webhook's answer to the calling server, by the server's error message, and the steps that fix
it.

Sources: staging/src/k8s.io/apiserver/pkg/util/webhook, pkg/admission/plugin/webhook/errors/statuserror.go;
Go: net, net/http, crypto/x509.
"""

from __future__ import annotations

from unstuck.causes._certificates import mend_flaw
from unstuck.causes.admission._refused import is_silence
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.derive.certificates import find_alert, find_flaw
from unstuck.facts.regex import regex

say = Messages(__name__)

_TRUST = say(
    "put the CA that signed its serving certificate into caBundle of the configuration; if cert-manager or "
    "an operator normally does this, see why it did not"
)
_LOGIN = say(
    "have the webhook accept the API server's client certificate, or give the API server one that it accepts "
    "(--admission-control-config-file, kubeConfigFile)"
)
_OWN_ERROR = "an error on the server"
_NO_ENDPOINTS = regex(r"no endpoints available for service \"?(?P<name>[a-z0-9][a-z0-9.-]{0,62})")
_NO_SERVICE = regex(r"service \"?(?P<name>[a-z0-9][a-z0-9.-]{0,62})\"? not found")
_REFUSED = "connection refused"
_UNKNOWN_HOST = ("no such host", "server misbehaving")
_DENIES = regex(
    r"\b(?:Unauthorized|Forbidden|the server has asked for the client to provide credentials|403|401)\b"
)
_NO_WAY = ("no route to host", "network is unreachable")
_HANGS_UP = ("EOF", "connection reset by peer")


def is_untrusted(told: str) -> bool:
    """Tell whether the server does not accept its certificate."""
    return "x509: " in told


def disagrees_on_certificates(told: str) -> bool:
    """Tell whether a server answers, and one of the two refuses the certificate of the other."""
    return is_untrusted(told) or find_alert(told) is not None


def describe_answer(hook: str, write: Text | None, told: str) -> Text:
    """Return the answer as a sentence. write: the operation it must be called for, None for a conversion.
    told: the server's message after its fixed prefix.
    """
    if write is not None:
        return say(
            "Webhook {hook} must be called for {write}, and {what}",
            hook=hook,
            write=write,
            what=_describe_answer(told),
        )
    return say(
        "The conversion webhook of {kind} must be called for every read of such objects, and {what}",
        kind=hook,
        what=_describe_answer(told),
    )


def describe_skipped(hook: str, told: str) -> Text:
    """Return the answer of a webhook whose policy still lets the write through."""
    return say(
        "Webhook {hook} is asked about writes, and {what}; its failurePolicy Ignore let them through "
        "without it",
        hook=hook,
        what=_describe_answer(told),
    )


def _describe_answer(told: str) -> Text:
    """Return the result of the call."""
    if is_untrusted(told):
        return say("the API server rejects its certificate: {why}", why=told.rpartition("x509: ")[2])
    if find_alert(told):
        return say("its server refuses the client certificate of the API server")
    if _OWN_ERROR in told:
        return say("returned its own error")
    if found := _NO_ENDPOINTS.search(told):
        return say("its Service {name} has no ready Pod", name=found["name"])
    if found := _NO_SERVICE.search(told):
        return say("its Service {name} does not exist", name=found["name"])
    if _REFUSED in told:
        return say("nothing listens on the address that is called")
    if any(words in told for words in _UNKNOWN_HOST):
        return say("the API server finds no address for its host")
    if any(words in told for words in _NO_WAY):
        return say("the API server has no way to it")
    if is_silence(told):
        return say("did not respond in time")
    if _DENIES.search(told):
        return say("the server that answers denies the API server the call (usually a proxy in between)")
    if any(told.rstrip(" \"'.").endswith(words) for words in _HANGS_UP):
        return say("the server that answers hangs up, as a server without TLS or one that is exiting does")
    return say("did not respond")


def mend(service: str, told: str) -> Text:
    """Return the steps that make it answer. service: `Service NS/NAME`, "" if unknown."""
    backend = service or say("its backend")
    if flaw := find_flaw(told):
        return mend_flaw(flaw, _TRUST)
    if find_alert(told):
        return _LOGIN
    if is_untrusted(told):
        return say(
            "renew its serving certificate for the Service's name, and put its CA into caBundle of the "
            "configuration; if cert-manager or an operator normally does this, see why it did not"
        )
    if _OWN_ERROR in told:
        return say("see in the logs of {service} why it fails, and fix that", service=backend)
    if is_silence(told):
        return say(
            "make {service} respond in time: check that its Pods are ready and not overloaded, and "
            "that the control plane's machines can reach them on the target port (a firewall or a "
            "network policy may block it)",
            service=backend,
        )
    return say("restore {service}", service=backend)
