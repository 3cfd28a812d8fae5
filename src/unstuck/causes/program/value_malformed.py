"""The program ends because a value does not have the expected format

## How it happens

A variable, a key of a ConfigMap or Secret, an option or a file holds another form of value than the program
expects: a URL in place of a port, a number with its unit, an empty text, trailing white space or a newline,
an unreplaced placeholder, an empty or truncated file. The exception of the parser ends the program.
`tcp://ADDRESS:PORT` is the form of the variables that the kubelet sets for each Service of the Pod's
Namespace (`enableServiceLinks`): a Service `redis` makes `REDIS_PORT`, and a program that reads a variable of
that name gets it.

## How to tell

The run ended with an error and was not ended from outside, and its last lines hold the words of a parser
about a value: `invalid literal for int()`, `strconv.Atoi: parsing`, `For input string`, `Invalid URL`,
`invalid header field value`, `unexpected end of JSON input`.

## Known limits

Its evidence is the message alone: it is never more than likely. Which variable or key the value has come from
is known only of the kubelet's own variables, where the Service with that address is seen.

## References

- Go src/strconv, net/url, net/http; CPython Lib/http/client.py; java.lang.NumberFormatException; Node.js
  lib/internal/errors.js
- Kubernetes pkg/kubelet/envvars/envvars.go; documentation "Service", environment variables
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.causes._commands import place_on_node
from unstuck.causes._path_volume import find_volume
from unstuck.causes.program._plain import look_at_mounts, make_plain_signs, mend
from unstuck.causes.program._service import find_service_meant
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.causes.volume._on_node import find_volume_path
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.services import ServicesAt, ServiceSpec
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_NUMBER, _URL, _HEADER, _JSON, _LABEL = "number", "url", "header", "json", "label"
_QUANTITY = "quantity"
# The parser's name for a value, and its meaning.
_SORTS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            ("int", "float", "Atoi", "ParseInt", "ParseUint", "ParseFloat", "NumberFormatException"), _NUMBER
        ),
        **dict.fromkeys(
            (
                "ParseIntError",
                "ParseFloatError",
                "Integer",
                "Float",
                "FormatException",
                "ERR_SOCKET_BAD_PORT",
            ),
            _NUMBER,
        ),
        **dict.fromkeys(
            ("parse", "ERR_INVALID_URL", "Invalid URL", "URISyntaxException", "Illegal character", "bad URI"),
            _URL,
        ),
        **dict.fromkeys(("MalformedURLException", "UriFormatException"), _URL),
        **dict.fromkeys(
            ("integer", "int_parsing", "float_parsing", "port", "too many colons in address"), _NUMBER
        ),
        "url_parsing": _URL,
        "bool_parsing": "boolean",
        "ParseBool": "boolean",
        "time": "duration",
        "valid label": _LABEL,
        "quantities": _QUANTITY,
        "protocol scheme": _URL,
        "base64": "base64",
        "Incorrect padding": "base64",
        "Invalid base64-encoded": "base64",
    }
)
_MEANS: Mapping[str, Text] = MappingProxyType(
    {
        _NUMBER: say("it expects a number, and the value is not a number"),
        _URL: say("it expects a URL, and the value is not a URL"),
        "boolean": say("it expects true or false, and the value is neither"),
        "duration": say(
            "it expects a duration (a number and its unit, such as 30s), and the value is not a duration"
        ),
        "base64": say("it expects base64, and the value is not base64"),
        _HEADER: say(
            "it puts a value into an HTTP header, and the value contains a character that no header may "
            "have, such as a newline at the end"
        ),
        _LABEL: say(
            "a label selector has a value that no label can have: only letters, digits, '-', '_' and '.' "
            "are allowed, not KIND/NAME"
        ),
        _QUANTITY: say(
            "it expects a quantity of memory, CPU or storage (a number and its unit, such as 500m or 1Gi),"
            " and the value is not a quantity"
        ),
        _JSON: say("it expects JSON, and the text is empty or cut off"),
    }
)
_SELECT = mend(
    say(
        "correct the selector: -l takes KEY=VALUE of a label that the objects have, and an object's own name "
        "is given without -l, as KIND/NAME"
    )
)
_CORRECT = mend(say("correct the value where it is set: a variable, an option, a ConfigMap or Secret"))
# Source: pkg/kubelet/envvars/envvars.go (makeLinkVariables).
_LINK = regex(r"tcp://(?P<address>\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("value-malformed",), lambda one: _make_finding(pod, one, snap))


def _sort(one: ProgramMessage) -> str:
    word = one.complaint.resource
    if word in _SORTS:
        return _SORTS[word]
    if "header" in word:
        return _HEADER
    return _URL if "URL" in word else _JSON


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    sort, name = _sort(one), one.complaint.name
    if sort == _JSON:
        return _make_file_finding(pod, one, snap)
    means = _MEANS[sort]
    if link := _LINK.fullmatch(name):
        return _make_link_finding(pod, one, means, link["address"], snap)
    if not name and sort == _QUANTITY:
        means += say("; the value is empty: the object that it works on leaves it out")
    if name and sort != _HEADER:
        means += say(": “{value}”", value=name)
    if sort == _LABEL:
        return make_finding(pod, one, means, (*_look(pod, one), _SELECT))
    edge = name != name.strip() or (sort == _HEADER and "\\n" in one.complaint.line)
    return make_finding(
        pod,
        one,
        means,
        fitting(
            *_look(pod, one),
            Remedy(
                edge or sort == _HEADER,
                mend(say("write the value without white space or a newline at its end")),
            ),
            Remedy(not edge and sort != _HEADER, _CORRECT),
        ),
    )


def _look(pod: Ref, one: ProgramMessage) -> tuple[Step, ...]:
    """Return the look at the container's variables; a paste that names no Pod has none."""
    if pod.kind != "Pod":
        return ()
    env = command(
        "kubectl set env {pod} {space} --list --resolve --containers={container}",
        pod=given.of(pod),
        space=given.space(pod),
        container=given.container(one.run.name or None),
    )
    return (Step(say("see which variable or key has this value"), command=env),)


def _make_link_finding(pod: Ref, one: ProgramMessage, means: Text, address: str, snap: Facts) -> Finding:
    """Return the finding for a value in the form of the variables that the kubelet makes for Services."""
    means += say(": “{value}”", value=one.complaint.name)
    meant = find_service_meant(address, pod, snap) if pod.kind == "Pod" else None
    service = next((s for s in meant.hits if s.within == pod.within), None) if meant else None
    if service is None or not service.name:
        means += say(
            "; that is the form of the variables that the kubelet sets for the Services of its Namespace"
        )
        step = mend(
            say("set the variable, give it another name, or set enableServiceLinks: false in the Pod's spec")
        )
        return make_finding(pod, one, means, (*_look(pod, one), step), enrich=meant.wants if meant else ())
    variable = f"{service.name.upper().replace('-', '_')}_PORT"
    set_here = one.run.spec is not None and variable in one.run.spec.env
    if not set_here:
        means += say(
            "; the kubelet sets {variable} so for Service {service} of its Namespace",
            variable=variable,
            service=service.name,
        )
    links = mend(
        say(
            (
                "set {variable}, or enableServiceLinks: false in the Pod's spec, or let the program read a "
                "variable of another name"
            ),
            variable=variable,
        )
    )
    own = mend(say("correct {variable} where the manifest sets it", variable=variable))
    return make_finding(pod, one, means, fitting(Remedy(not set_here, links), Remedy(set_here, own)))


def _make_file_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    path, container = one.complaint.path, one.run.name or None
    means = _MEANS[_JSON]
    if not path:
        look = Step(say("check in its log what it reads there, a file or the response of a server"))
        return make_finding(pod, one, means, (look,))
    means += say(": {path}", path=path)
    at, node = find_volume_path(pod, container, path, snap), find_node_of_pod(pod, snap)
    if at and at.path:
        look = Step(
            say("see how long the file is"),
            where=place_on_node(node.name if node else None),
            command=command("ls -lL -- {path}", path=given.path(at.path)),
        )
    else:
        look = look_at_mounts(pod)
    held = find_volume(pod, container, path, snap)
    return make_finding(
        pod,
        one,
        means,
        fitting(
            look,
            Remedy(
                held is not None and held.type in ("configMap", "secret"),
                mend(say("write the whole content into the key that is mounted at {path}", path=path)),
            ),
            Remedy(
                held is not None and held.type == "hostPath",
                mend(
                    say(
                        "put the whole file there on that node: a machine that was cut off while it wrote "
                        "leaves an empty or shorter one"
                    )
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="program.value-malformed",
    title=say("the program ends because a value does not have the expected format"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | {ServicesAt, ServiceSpec},
    rule=_rule,
)
