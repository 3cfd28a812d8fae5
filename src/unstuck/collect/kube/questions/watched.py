"""The Namespaces that a controller is set up to watch, by its variables and arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.facts.aspects.cluster import Candidate
from unstuck.facts.core import Ref
from unstuck.facts.record import replace
from unstuck.facts.regex import regex

# operator-sdk and OLM WATCH_NAMESPACE; WATCHED_NAMESPACES, STRIMZI_WATCH_NAMESPACES and such of others.
_VARIABLE = regex(r"^(?:[A-Z0-9]+_)*WATCH(?:ED)?_?(?:NAMESPACES?|NS)$")
# prometheus-operator --namespaces, ECK --namespaces, controller-runtime's --watch-namespace.
_FLAG = regex(r"^--?(?:watch(?:ed)?-)namespaces?$|^--?namespaces$", re.IGNORECASE)
_OWN = "metadata.namespace"
# OLM writes the Namespaces of an OperatorGroup into the template.
_ANNOTATION = regex(r"^metadata\.annotations\['(?P<key>[^']{1,200})'\]$")
_SEPARATOR = regex(r"[,;\s]+")
_ALL = ("", "*")


def with_watched(session: Session, candidate: Candidate) -> Candidate:
    """Return the candidate with the Namespaces that it is restricted to, and the restricting setting."""
    read = session.object(kind_named(candidate.ref.kind), candidate.ref)
    if not read.reply.ok:
        return candidate
    template = doc.section(read.reply.doc, "spec", "template")
    for row in doc.rows(template, "spec", "containers"):
        for name, value in (*_list_variables(session, candidate.ref, template, row), *_list_flags(row)):
            spaces = tuple(w for w in _SEPARATOR.split(value.strip().strip("[]")) if w)
            if spaces and not any(w in _ALL for w in spaces):
                return replace(candidate, watched=spaces, watched_by=name)
    return candidate


def _list_variables(session: Session, of: Ref, template: doc.Doc, row: doc.Doc) -> Iterator[tuple[str, str]]:
    for one in doc.rows(row, "env"):
        name = doc.text(one, "name")
        if _VARIABLE.match(name):
            yield name, doc.text(one, "value") or _value_from(session, of, template, one)
    for source in doc.rows(row, "envFrom"):
        named = doc.text(source, "configMapRef", "name")
        prefix = doc.text(source, "prefix")
        for key, value in _read_map(session, of, named) if named else ():
            if _VARIABLE.match(prefix + key):
                yield prefix + key, value


def _value_from(session: Session, of: Ref, template: doc.Doc, one: doc.Doc) -> str:
    """Return the value of a variable that is read from the Pod itself or from a ConfigMap."""
    path = doc.text(one, "valueFrom", "fieldRef", "fieldPath")
    if path == _OWN:
        return of.within or ""
    if found := _ANNOTATION.match(path):
        return doc.text(template, "metadata", "annotations", found["key"])
    ref = doc.section(one, "valueFrom", "configMapKeyRef")
    key = doc.text(ref, "key")
    return dict(_read_map(session, of, doc.text(ref, "name"))).get(key, "") if key else ""


def _read_map(session: Session, of: Ref, name: str) -> tuple[tuple[str, str], ...]:
    read = session.object(kind_named("ConfigMap"), Ref("ConfigMap", of.within, name))
    return doc.pairs(read.reply.doc, "data") if name and read.reply.ok else ()


def _list_flags(row: doc.Doc) -> Iterator[tuple[str, str]]:
    words = [*doc.strings(row, "command"), *doc.strings(row, "args")]
    for i, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if _FLAG.match(flag) and "$(" not in value:
            after = words[i + 1] if i + 1 < len(words) and not words[i + 1].startswith("-") else ""
            yield flag, value if equals else after
