"""The API server rejects an object as invalid

## How it happens

A manifest has a field that its kind does not know (a typing error, another version), a value that is not
allowed, or changes a field that cannot be changed after the object was made: a selector, a claim's template,
a Job's template, a Service's address.

## How to tell

`KIND "NAME" is invalid: FIELD: …`, `field is immutable`, `error validating data`, `strict decoding error:
unknown field`, `failed to create typed patch object …: FIELD: field not declared in schema`. Annotations that
are too long usually come from `kubectl apply` itself, or a tool that applies in the same way: it writes the
whole manifest into one of them.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen. The
manifest itself is not seen.

## References

- apimachinery pkg/api/errors (`NewInvalid`), pkg/api/validation (`FieldImmutableErrorMsg`,
  `ValidateAnnotationsSize`: 256 KiB)
- Documentation "Server-Side Apply"
"""

from __future__ import annotations

from unstuck.causes.program._fixed_fields import explain_fixed_field, extract_reason, is_fixed
from unstuck.causes.program._held_values import explain_held_value
from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.causes.program._unknown_fields import make_unknown_field_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_STORED = "status.storedVersions"
_VALUE = regex(r"^Invalid value: \"(?P<value>[^\"]{1,60})\"")
_SHORT = 200
_UNDECLARED = "not declared in schema"
_UNKNOWN = "unknown field"
_KEY = "does not contain declared merge key"
_TYPES = regex(r"cannot unmarshal (?P<found>\w{3,8})\b.{0,240} of type (?P<wanted>[\w.\[\]*]{1,120})$")
_READ_STRING = "ReadString: expects"
# Reasons that the sentence already gives.
_PLAIN = ("field is immutable",)
_ANNOTATIONS = "metadata.annotations"
# List elements of a field's path, and parts that `kubectl explain` does not take.
_KEYS = regex(r"(?:map\[| )(\w{1,60}):")
_ELEMENT = regex(r"\[[^\]]{0,200}\]")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("object-invalid",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    what = f"{c.resource} {c.name}".strip()
    who = say("{what}", what=what) if what else say("the object")
    if is_fixed(c):
        return _make_fixed_finding(pod, one, who)
    if c.path.startswith(_STORED):
        return _make_older_definition_finding(pod, one)
    if c.path == _ANNOTATIONS and c.reason.startswith("Too long"):
        return _make_too_long_finding(pod, one, who)
    if _UNDECLARED in c.reason:
        return _make_undeclared_finding(pod, one, who)
    if _KEY in c.reason:
        return _make_keyless_finding(pod, one, who)
    if told := _TYPES.search(c.reason):
        return _make_type_finding(pod, one, who, told["found"], told["wanted"])
    if _READ_STRING in c.reason:
        return _make_type_finding(pod, one, who, "number", "string")
    if c.reason == _UNKNOWN:
        return make_unknown_field_finding(pod, one)
    if held := explain_held_value(c, who):
        return make_finding(pod, one, held.says, held.steps)
    means = (
        say("the API server takes {who} for invalid, for its field", who=who) + _describe_where(one)
        if c.path
        else say("the API server takes {who} for invalid", who=who)
    )
    look = Step(
        say("have the server check the manifest without keeping it"),
        command=command("kubectl apply --dry-run=server -f MANIFEST.yaml"),
    )
    step = mend(say("correct this field in the manifest, the chart's values or the version of its kind"))
    return make_finding(pod, one, means, (look, step))


def _describe_where(one: ProgramMessage) -> Text:
    """Return the field and the server's message about it."""
    return say(" {field}", field=one.complaint.path) + _describe_because(one.complaint.reason)


def _make_type_finding(pod: Ref, one: ProgramMessage, who: Text, found: str, wanted: str) -> Finding:
    """Return the finding for a value of the wrong type."""
    field = one.complaint.path.partition(".")[2] or one.complaint.path
    means = (
        say(
            "the manifest of {who} has a value of the wrong type in {field}: {found} instead of {wanted}",
            who=who,
            field=field,
            found=found,
            wanted=wanted,
        )
        if field
        else say(
            "the manifest of {who} has a value of the wrong type: {found} instead of {wanted}",
            who=who,
            found=found,
            wanted=wanted,
        )
    )
    quotes = say(
        "put the value in quotes, in a chart's template `{{{{ … | quote }}}}`: without them YAML takes "
        "digits for a number, and true or yes for a bool"
    )
    shape = say("write {wanted} there, as `kubectl explain` shows the field", wanted=wanted)
    return make_finding(pod, one, means, (mend(quotes if wanted == "string" else shape),))


def _make_fixed_finding(pod: Ref, one: ProgramMessage, who: Text) -> Finding:
    """Return the finding of a field that stays as the object was made."""
    c, told = one.complaint, explain_fixed_field(one.complaint)
    why = extract_reason(c.reason)
    means = (
        say("a field of {who} cannot be changed once it is made: {path}", who=who, path=c.path)
        + _describe_because("" if why in _PLAIN else why)
        if c.path
        else say("a field of {who} cannot be changed once it is made", who=who)
    )
    return make_finding(pod, one, means + told.why if told.why else means, told.steps, do_not=told.do_not)


def _make_too_long_finding(pod: Ref, one: ProgramMessage, who: Text) -> Finding:
    """Return the finding of annotations that are longer than the server takes."""
    means = (
        say("the annotations of {who} are longer than the API server takes", who=who)
        + _describe_because(one.complaint.reason)
        + say(
            ": applied from the client's side, the whole manifest is kept in one "
            "of them, last-applied-configuration"
        )
    )
    step = mend(
        say(
            "apply it on the server's side, which keeps no such annotation: kubectl apply "
            "--server-side, in Argo CD the sync option ServerSideApply=true; or make it with kubectl "
            "create, and change it with kubectl replace"
        )
    )
    return make_finding(pod, one, means, (step,))


def _make_undeclared_finding(pod: Ref, one: ProgramMessage, who: Text) -> Finding:
    """Return the finding for a field that the cluster's schema of the kind lacks."""
    c = one.complaint
    means = say(
        (
            "the manifest of {who} has a field that its kind does not declare in the version which the "
            "cluster serves: {path}"
        ),
        who=who,
        path=c.path.lstrip("."),
    )
    within = _ELEMENT.sub("", c.path).strip(".").rpartition(".")[0]
    asked = ".".join(filter(None, (c.resource.partition(".")[0].lower(), within)))
    look = Step(
        say("see which fields it declares there"),
        command=command("kubectl explain {field}", field=given.explained(asked)),
    )
    step = mend(
        say(
            "take the field out, or write it as this version has it; or bring the kind's "
            "CustomResourceDefinition to the version that has it"
        )
    )
    return make_finding(pod, one, means, (*((look,) if c.resource else ()), step))


def _make_keyless_finding(pod: Ref, one: ProgramMessage, who: Text) -> Finding:
    """Return the finding of an element without the field by which its list is merged."""
    key = one.complaint.path
    shown = one.complaint.reason.partition(f" {_KEY}")[0].removeprefix("map: ")
    close = next((k for k in _KEYS.findall(shown) if k != key and k.lower() == key.lower()), "")
    means = say("an element of a list in {who} lacks its field {key}: {shown}", who=who, key=key, shown=shown)
    if close:
        means += say("; it has {close}, which differs in capital letters alone", close=close)
    step = mend(
        say("write {key} in the manifest or the chart's template, in exactly these letters", key=key)
        if close
        else say("add {key} to this element in the manifest or the chart's template", key=key)
    )
    return make_finding(pod, one, means, (step,))


def _describe_because(reason: str) -> Text:
    """Return the server's message about the field, with its value."""
    return say(" ({reason})", reason=reason[:_SHORT].rstrip(" .")) if reason else NO_TEXT


def _make_older_definition_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a CustomResourceDefinition that lacks a storage version."""
    kind, version = one.complaint.name, _VALUE.search(one.complaint.reason)
    which = say(" {version}", version=version["value"]) if version else NO_TEXT
    means = (
        say(
            (
                "the applied CustomResourceDefinition {kind} lacks a version in which "
                "objects are, or were, stored:"
            ),
            kind=kind,
        )
        + which
    )
    look = Step(
        say("see which versions the cluster's own has, and which are storage versions"),
        command=command("kubectl get {crd} -o yaml", crd=given.obj("customresourcedefinition", kind)),
    )
    step = mend(
        say(
            "apply a release that still has this version, usually the newer one that "
            "created the cluster's own"
        )
    )
    forget = DoNot(
        say("edit status.storedVersions so that the version is missing"),
        say("objects that are still stored in it can then never be read"),
    )
    return make_finding(pod, one, means, (look, step), do_not=(forget,))


CAUSE = Cause(
    id="program.object-rejected",
    title=say("the API server rejects an object as invalid"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
