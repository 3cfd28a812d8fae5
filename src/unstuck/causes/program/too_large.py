"""A program sends more than the receiver accepts

## How it happens

Proxies, API servers, queues and RPC libraries have a limit for one message. An upload, a large object, a
chart with many files or a long header exceeds it.

## How to tell

nginx's `client intended to send too large body` and `upstream sent too big header`, `Request entity too
large: limit is 3145728`, `etcdserver: request is too large`, gRPC's `received message larger than max`,
Kafka's `RecordTooLargeException`, MySQL's `max_allowed_packet`.

## Known limits

Its evidence is the message alone: it is never more than likely. The large part of it is not seen.

## References

- ingress-nginx documentation: proxy-body-size, proxy-buffer-size; gRPC, Kafka and MySQL documentation; etcd:
  --max-request-bytes
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# The place of the limit, by the message of the refusing server.
_LIMITS: Mapping[str, Text] = MappingProxyType(
    {
        "too large": say(
            "raise the proxy's limit for bodies (client_max_body_size; of ingress-nginx the "
            "Ingress's annotation nginx.ingress.kubernetes.io/proxy-body-size)"
        ),
        "too big header": say(
            "raise the proxy's buffer for headers (proxy_buffer_size; of ingress-nginx "
            "nginx.ingress.kubernetes.io/proxy-buffer-size), or "
            "have the program send smaller cookies and headers"
        ),
        "larger than max": say(
            "raise the limit of the gRPC client and server for messages, or send less at a time"
        ),
        "TooLarge": say(
            "raise max.request.size of the producer and message.max.bytes of the broker or topic together, "
            "or send smaller records"
        ),
        "max_allowed_packet": say("raise max_allowed_packet of the server and the client"),
        "query is too large": say("raise max_allowed_packet of the server and the client"),
        "etcdserver": say("split the object: etcd accepts 1.5 MiB in one request"),
    }
)
_OF_OTHERS = say(
    "make it smaller: split the object or the chart, keep large files out of it (.helmignore); where a proxy "
    "refuses it, raise the proxy's limit for bodies"
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("too-large",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    means = say("the message is larger than the receiver accepts: {reason}", reason=c.reason)
    mended = next((text for words, text in _LIMITS.items() if words in c.verb), _OF_OTHERS)
    return make_finding(pod, one, means, (mend(mended),))


CAUSE = Cause(
    id="program.too-large",
    title=say("a program sends more than the receiver accepts"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
