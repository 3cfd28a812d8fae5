"""Foreign values as words of a command: each of these functions accepts only the valid values of its kind.

An invalid value gives no command (`Unfit`). An unknown value becomes a word in capitals, which the reader
replaces (`render/placeholders.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from types import MappingProxyType

from unstuck.diagnosis.command import Command, Unfit, Words
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex
from unstuck.knowledge.names import LABEL, SUBDOMAIN, Rule, find_rule, parse_kind

say = Messages(__name__)
NOTHING = Words()
_KIND = regex(r"[A-Za-z][A-Za-z0-9]*(?:\.[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?)?")
_UID = regex(r"[0-9A-Fa-f][0-9A-Fa-f-]{31,35}")
_CONTAINER_ID = regex(r"[0-9a-f]{8,64}")
_UNIT = regex(r"[A-Za-z0-9][A-Za-z0-9:_.@\\-]{0,254}")
_PATH = regex(r"/[^\x00]{0,4094}")
_FILE = regex(r"[^\x00]{1,4096}")
_HOST = regex(r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_IMAGE = regex(r"[A-Za-z0-9][A-Za-z0-9._:@/-]{0,1023}")
# staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go: IsQualifiedName, IsValidLabelValue.
_QUALIFIED = r"(?:[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_LABEL_VALUE = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"
_PAIR = regex(rf"{_QUALIFIED}={_LABEL_VALUE}")
_TAINT = regex(rf"{_QUALIFIED}(?:={_LABEL_VALUE})?(?::(?:NoSchedule|PreferNoSchedule|NoExecute))?")
_KEY = regex(_QUALIFIED)
_EXPLAINED = regex(r"[a-z][a-z0-9]{0,62}(?:\.[A-Za-z_$][\w$-]{0,120}){0,12}")
_GROUP_VERSION = regex(r"[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?/v\d+(?:(?:alpha|beta)\d+)?")
_NUMBER = regex(r"\d{1,20}|PID")
_UNKNOWN = MappingProxyType({"pod": "POD", "node": "NODE", "namespace": "NAMESPACE"})
_PLAIN = regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
_API_PATH = regex(r"/apis?/[A-Za-z0-9](?:[A-Za-z0-9._:@/-]{0,1022}[A-Za-z0-9])?")
_USER = regex(r"[A-Za-z0-9][A-Za-z0-9:@._-]{0,252}")
# IAM, CreateRole: RoleName.
_ROLE = regex(r"[A-Za-z0-9_][A-Za-z0-9_+=,.@-]{0,63}")
# Helm, pkg/chart/v2/util/validate_name.go.
_RELEASE = regex(r"[a-z0-9](?:[a-z0-9.-]{0,51}[a-z0-9])?|RELEASE")
_RBD = regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}(?:/[A-Za-z0-9][A-Za-z0-9_.-]{0,127}){1,2}")


def obj(kind: str, name: str | None) -> Words:
    """Return `kind/name` of an object, which no program takes for an option. kind: as on a command line
    (`pod`, `pvc`, `widget.example.com`).
    """
    of_kind, named = kind_of(kind), _name(kind, name)
    return Words(
        tuple(f"{k}/{word}" for k in of_kind.words for word in named.words), of_kind.unfit or named.unfit
    )


def kind_of(kind: str) -> Words:
    """Return a kind as on a command line."""
    return _check_pattern(kind.lower(), _KIND, say("a kind"))


def of(ref: Ref) -> Words:
    """Return `kind/name` of this object."""
    return obj(ref.kind.lower(), ref.name)


def bare(kind: str, name: str | None) -> Words:
    """Return the bare name of an object if no program takes it for an option: names of some kinds may begin
    with a dash, and are refused.
    """
    named = _name(kind, name)
    return (
        _unfit(name or "", say("a name without its kind"))
        if any(w.startswith("-") for w in named.words)
        else named
    )


def prefix(kind: str, name: str | None) -> Words:
    """Return the beginning of the names of the Pods that an object of this kind creates."""
    named = bare(kind, name)
    return Words(tuple(f"{word}-" for word in named.words), named.unfit)


def _name(kind: str, name: str | None) -> Words:
    unknown = _UNKNOWN.get(kind.lower(), "NAME")
    if name in (None, unknown):
        return Words((unknown,))
    called = parse_kind(kind)
    return _check_by_rule(name, find_rule(kind), say("the name of any {called}", called=called))


def space(about: Ref) -> Words:
    """Return the option `-n` for an object; no words for a cluster-scoped object, or one in kubectl's default
    Namespace.
    """
    if about.kind == "Pod" and about.name is None and about.within is None:
        # The reader has to find the name first: the command searches all Namespaces.
        return namespace(_UNKNOWN["namespace"])
    return namespace(about.within) if about.within else NOTHING


def namespace(name: str | None) -> Words:
    """Return the option `-n`; a Namespace's name is a DNS label, and so never an option itself."""
    named = bare("Namespace", name)
    return Words(("-n", *named.words) if named.words else (), named.unfit)


def container(name: str | None) -> Words:
    """Return a container's name; no words if it is unknown. Source: pkg/apis/core/validation/validation.go,
    validateContainerCommon.
    """
    return _check_by_rule(name, LABEL, say("the name of a container")) if name else NOTHING


def uid(value: str | None) -> Words:
    """Return an object's uid: a UUID, of a static Pod the hash of its file."""
    return Words(("UID",)) if value is None else _check_pattern(value, _UID, say("a uid"))


def container_id(value: str) -> Words:
    """Return a container's or a sandbox's id at its runtime."""
    return _check_pattern(value, _CONTAINER_ID, say("the id of a container"))


def path(value: str) -> Words:
    """Return an absolute path without `..`."""
    what = say("a path")
    return _unfit(value, what) if ".." in value.split("/") else _check_pattern(value, _PATH, what)


def file(name: str) -> Words:
    """Return a file's path as the user gave it, relative to the working directory."""
    return _check_pattern(f"./{name}" if name.startswith("-") else name, _FILE, say("the name of a file"))


def paths(values: Iterable[str]) -> Words:
    """Return several paths, a word each."""
    return together(path(value) for value in values)


def number(value: int | str) -> Words:
    """Return a number without a sign, such as a process's; PID for an unknown one."""
    return _check_pattern(str(value), _NUMBER, say("a number"))


def numbers(values: Iterable[int]) -> Words:
    """Return several numbers, a word each."""
    return together(number(value) for value in values)


def unit(name: str) -> Words:
    """Return a unit of systemd, by systemd.unit(5)."""
    return _check_pattern(name, _UNIT, say("the name of a unit"))


def host(value: str) -> Words:
    """Return a host's name or address, with a port or without."""
    return _check_pattern(value, _HOST, say("a host"))


def image(name: str) -> Words:
    """Return an image's reference or id, or the repository of one."""
    return _check_pattern(name, _IMAGE, say("the name of an image"))


def label(key: str, value: str) -> Words:
    """Return `key=value`."""
    return _check_pattern(f"{key}={value}", _PAIR, say("a label"))


def key(name: str) -> Words:
    """Return a label's key, or a resource's name."""
    return _check_pattern(name, _KEY, say("a key"))


def taint(text: str) -> Words:
    """Return `key=value:effect`, or a part of it."""
    return _check_pattern(text, _TAINT, say("a taint"))


def resource(name: str) -> Words:
    """Return a resource type in the plural, with its group or without: `widgets.example.com`."""
    return _check_by_rule(name, SUBDOMAIN, say("a resource type"))


def resources(names: Iterable[str]) -> Words:
    """Return several resource types as one word: `pods,widgets.example.com`."""
    found = together(resource(name) for name in names)
    return Words((",".join(found.words),), found.unfit)


def group_version(name: str) -> Words:
    """Return `GROUP/VERSION` of an API."""
    return _check_pattern(name, _GROUP_VERSION, say("the version of an API group"))


def api_path(value: str | None) -> Words:
    """Return an object's path at the API server."""
    what = say("the path of an object")
    if value is None:
        return Words(("PATH-OF-THE-OBJECT",))
    return _unfit(value, what) if ".." in value.split("/") else _check_pattern(value, _API_PATH, what)


def field(resource_name: str) -> Words:
    """Return a resource's name as a field of a JSONPath: its dots are its own."""
    named = key(resource_name)
    return Words(tuple(word.replace(".", "\\.") for word in named.words), named.unfit)


def explained(value: str) -> Words:
    """Return a field of a kind as `kubectl explain` takes it: `deployment.spec.template`."""
    return _check_pattern(value, _EXPLAINED, say("a field"))


def plain(value: str) -> Words:
    """Return a kernel name: of a module, an interface, a setting."""
    return _check_pattern(value, _PLAIN, say("such a name"))


def rbd(value: str) -> Words:
    """Return `POOL/IMAGE` of Ceph."""
    return _check_pattern(value, _RBD, say("an RBD image"))


def user(name: str) -> Words:
    """Return a user as the API server knows it: `system:serviceaccount:NAMESPACE:NAME`."""
    return _check_pattern(name, _USER, say("a user"))


def role(name: str) -> Words:
    """Return the name of a role of AWS."""
    return _check_pattern(name, _ROLE, say("the name of a role"))


def release(name: str | None) -> Words:
    """Return the name of a Helm release; RELEASE if unknown."""
    return _check_pattern(name or "RELEASE", _RELEASE, say("the name of a release"))


def document(value: object) -> Words:
    """Return JSON, in ASCII: a string in it cannot break out of its quotes."""
    return Words((json.dumps(value, separators=(",", ":")),))


def words_of(other: Command) -> Words:
    """Return all words of a command that no shell acts on."""
    return Words(other.argv, other.unfit)


def together(several: Iterable[Words]) -> Words:
    """Return all of these words, in this order."""
    found = tuple(several)
    return Words(
        tuple(w for words in found for w in words.words), tuple(u for words in found for u in words.unfit)
    )


def _check_by_rule(value: str | None, rule: Rule, what: Text) -> Words:
    return (
        Words((value,)) if value and rule.allows(value) and value.isprintable() else _unfit(value or "", what)
    )


def _check_pattern(value: str, pattern: re.Pattern[str], what: Text) -> Words:
    return Words((value,)) if pattern.fullmatch(value) and value.isprintable() else _unfit(value, what)


def _unfit(value: str, what: Text) -> Words:
    return Words(unfit=(Unfit(what, value),))
