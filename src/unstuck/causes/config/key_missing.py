"""A key that the Pod names is not in the ConfigMap or Secret

## How it happens

The object exists, the key does not: a typing error, a key that was renamed in one place only, another version of the object than the
one that the Pod was written for, or a Secret whose creator names its keys differently (`tls.crt` and `cert.pem`).

## How to tell

From `env` the container waits with CreateContainerConfigError, `couldn't find key k in ConfigMap ns/name`; from a volume's `items` the
Pod stays ContainerCreating, `references non-existent config key: k`. The keys of the object itself decide. Only the names of keys are
read, never a value.

## Known limits

References marked `optional: true` are never the cause. A key that the application expects in a mounted object, but that the Pod's spec
does not name, is not seen here: that container starts and fails by itself. Who may not read Secrets gets at most `likely`.

## References

- Kubernetes pkg/kubelet/kubelet_pods.go (makeEnvironmentVariables), pkg/volume/configmap/configmap.go, pkg/volume/secret/secret.go
"""

from __future__ import annotations

from unstuck.causes.config._missing import MANY, RETRIES, STAGES, absent, nearest
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, heard, some, told, unique
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure, Keys, Names, Presence
from unstuck.facts.aspects.pod import Needs
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

Missing = tuple[Ref, str]
_UNNAMED = Ref("ConfigMap or Secret")


def _rule(pod: Ref, snap: Facts) -> Signs:
    needs = some(snap, Needs, pod, lambda f: [(n.object, n.key) for n in f.items if n.key and not n.optional])
    named = heard(snap, Failure, pod, lambda f: _named(f, needs.hits))
    uses = told(needs, named)
    asked = unique(m for m in (*named.hits, *uses.hits) if m[0] != _UNNAMED)[:MANY]
    gone: Sign[Missing] = any_of([_lacks(snap, ref, key) for ref, key in asked]) if asked else Sign(None, wants=needs.wants)

    def finding() -> Finding:
        return _finding(pod, (*gone.hits, *named.hits)[0], snap)

    return Signs(
        applies=uses,
        decisive={"the object does not have that key": gone},
        supporting={"a message names a key that was not found": named},
        finding=finding,
    )


def _named(f: Failure, needs: tuple[Missing, ...]) -> list[Missing]:
    """Return what a message says is missing; a volume's message does not name the object, but the Pod's spec may name only one with that
    key.
    """
    if f.error != "key-missing" or not f.key:
        return []
    if f.object:
        return [(f.object, f.key)]
    fit = unique(n for n in needs if n[1] == f.key)
    return [fit[0]] if len(fit) == 1 else [(_UNNAMED, f.key)]


def _lacks(snap: Facts, ref: Ref, key: str) -> Sign[Missing]:
    """Return no where the object itself is missing: then that is the fault."""
    there = absent(snap, ref)
    if there.value:
        return Sign(False, seen=there.seen)
    return some(snap, Keys, ref, lambda f: [(ref, key)] if f.whole and key not in f.names else [])


def _finding(pod: Ref, missing: Missing, snap: Facts) -> Finding:
    ref, key = missing
    name = f"{ref.kind} {ref.within}/{ref.name}" if ref.within else str(ref)
    has = unique(n for f in snap.of(Keys, ref) for n in f.names)
    near = nearest(key, has)
    says = Text(f"{name} has no key {key}", f"{name} 中没有键 {key}")
    if ref == _UNNAMED:
        says = Text(f"a ConfigMap or Secret in a volume has no key {key}", f"卷所引用的 ConfigMap 或 Secret 中没有键 {key}")
    notes = []
    if near:
        notes.append(Text(f"did you mean {near[0]}? It has that key", f"是否应为 {near[0]}？其中有该键"))
    elif has:
        listed = ", ".join(has[:8]) + (" …" if len(has) > 8 else "")
        notes.append(Text(f"its keys: {listed}", f"其中的键：{listed}"))
    either = Text(f", or use {near[0]} in the Pod's template", f"，或在 Pod 模板中改用 {near[0]}") if near else Text("", "")
    add = Step(
        Text(f"add key {key} with the correct value to {name}", f"在 {name} 中补上键 {key} 及其正确的值") + either,
        where="source",
        verify=RETRIES,
    )
    blank = DoNot(
        Text(
            "add the key with an empty value, or mark the reference optional, as a workaround", "补一个空值，或把引用标为 optional 来绕过"
        ),
        Text("the app would start with an empty, unintended config", "应用会以非预期的空配置启动"),
    )
    enrich = () if has or ref == _UNNAMED else (Want(Keys, ref),)
    return Finding(says, culprit=ref, blocks=(pod,), notes=tuple(notes), help=(add,), do_not=(blank,), enrich=enrich)


CAUSE = Cause(
    id="config.key-missing",
    title=Text("the ConfigMap or Secret lacks a key that the Pod references", "ConfigMap 或 Secret 中没有 Pod 引用的键"),
    subjects=("Pod",),
    stages=STAGES,
    reads=frozenset({Failure, Needs, Presence, Names, Keys}),
    rule=_rule,
)
