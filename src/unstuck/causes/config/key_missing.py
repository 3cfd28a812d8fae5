"""The ConfigMap or Secret lacks a key that the Pod references

## How it happens

The object exists, the key does not: a typing error, a key that was renamed in one place only, another version
of the object than the Pod was written for, or a Secret whose creator names its keys differently (`tls.crt`
and `cert.pem`).

## How to tell

From `env` the container waits with CreateContainerConfigError, `couldn't find key k in ConfigMap ns/name`;
from a volume's `items` the Pod stays ContainerCreating, `references non-existent config key: k`. The keys of
the object itself decide. Only the names of keys are read, never a value.

## Known limits

References marked `optional: true` are never the cause. A key that the application expects in a mounted
object, but that the Pod's spec does not name, is not seen here: that container starts and fails by itself.
Without the right to read Secrets the answer is at most `likely`.

## References

- Kubernetes pkg/kubelet/kubelet_pods.go (makeEnvironmentVariables), pkg/volume/configmap/configmap.go,
  pkg/volume/secret/secret.go
"""

from __future__ import annotations

from unstuck.causes.config._missing import MANY, RETRIES, STAGES, is_absent
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, accept_hearsay, any_of, hearsay, some, unique
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure, Keys, Names, Presence
from unstuck.facts.aspects.pod import Needs
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.lookup import Facts

say = Messages(__name__)

Missing = tuple[Ref, str]
_UNNAMED = Ref("ConfigMap or Secret")


def _rule(pod: Ref, snap: Facts) -> Signs:
    needs = some(snap, Needs, pod, lambda f: [(n.object, n.key) for n in f.items if n.key and not n.optional])
    named = hearsay(snap, Failure, pod, lambda f: _list_missing_keys(f, needs.hits))
    uses = accept_hearsay(needs, named)
    asked = unique(m for m in (*named.hits, *uses.hits) if m[0] != _UNNAMED)[:MANY]
    gone: Sign[Missing] = (
        any_of([_lacks(snap, ref, key) for ref, key in asked]) if asked else Sign(None, wants=needs.wants)
    )

    def finding() -> Finding:
        return _make_finding(pod, (*gone.hits, *named.hits)[0], snap)

    return Signs(
        applies=uses,
        decisive={"the object does not have that key": gone},
        supporting={"a message names a key that was not found": named},
        finding=finding,
    )


def _list_missing_keys(f: Failure, needs: tuple[Missing, ...]) -> list[Missing]:
    """Return the missing keys of a message; a volume's message does not name the object, but the Pod's spec
    may name only one with that key.
    """
    if f.error != "key-missing" or not f.key:
        return []
    if f.object:
        return [(f.object, f.key)]
    fit = unique(n for n in needs if n[1] == f.key)
    return [fit[0]] if len(fit) == 1 else [(_UNNAMED, f.key)]


def _lacks(snap: Facts, ref: Ref, key: str) -> Sign[Missing]:
    """Return no if the object itself is missing: then that is the fault."""
    there = is_absent(snap, ref)
    if there.value:
        return Sign(False, seen=there.seen)
    return some(snap, Keys, ref, lambda f: [(ref, key)] if f.whole and key not in f.names else [])


def _make_finding(pod: Ref, missing: Missing, snap: Facts) -> Finding:
    ref, key = missing
    name = f"{ref.kind} {ref.within}/{ref.name}" if ref.within else str(ref)
    has = unique(n for f in snap.of(Keys, ref) for n in f.names)
    near = pick_nearest(key, has)
    says = say("{name} has no key {key}", name=name, key=key)
    if ref == _UNNAMED:
        says = say("a ConfigMap or Secret in a volume has no key {key}", key=key)
    notes = []
    if near:
        notes.append(say("did you mean {near}? It has that key", near=near[0]))
    elif has:
        listed = ", ".join(has[:8]) + (" …" if len(has) > 8 else "")
        notes.append(say("its keys: {listed}", listed=listed))
    either = say(", or use {near} in the Pod's template", near=near[0]) if near else NO_TEXT
    add = Step(
        say("add key {key} with the correct value to {name}", key=key, name=name) + either,
        where="source",
        verify=RETRIES,
    )
    blank = DoNot(
        say("add the key with an empty value, or mark the reference optional, as a workaround"),
        say("the app would start with an empty, unintended config"),
    )
    enrich = () if has or ref == _UNNAMED else (Want(Keys, ref),)
    return Finding(
        says, culprit=ref, blocks=(pod,), notes=tuple(notes), help=(add,), do_not=(blank,), enrich=enrich
    )


CAUSE = Cause(
    id="config.key-missing",
    title=say("the ConfigMap or Secret lacks a key that the Pod references"),
    subjects=("Pod",),
    stages=STAGES,
    reads=frozenset({Failure, Needs, Presence, Names, Keys}),
    rule=_rule,
)
