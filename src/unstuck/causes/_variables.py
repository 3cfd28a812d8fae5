"""The variables of a container, and the key of a ConfigMap or Secret that each one comes from."""

from __future__ import annotations

from unstuck.causes.config._missing import is_absent
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.facts.aspects.objects import Keys
from unstuck.facts.aspects.pod import Needs
from unstuck.facts.aspects.settings import ContainerSettings, PodSettings, VariableSource
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

say = Messages(__name__)

_SHAPES = {
    "newline": say("ends with a newline"),
    "blanks": say("begins or ends with blanks"),
    "quoted": say("stands in quotation marks, which are a part of it"),
    "base64": say("is encoded in base64 once more"),
    "empty": say("is empty"),
}


@record()
class WholeVariables(Record):
    """The variables that a container gets from objects taken whole (`envFrom`). prefixed: those behind a
    prefix, by their key.
    """

    items: tuple[VariableSource, ...] = ()
    prefixed: tuple[VariableSource, ...] = ()
    wants: tuple[Want, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(v.name for v in self.items)


def name_object(ref: Ref) -> Text:
    """Return `Secret shop-db`."""
    return say("{kind} {name}", kind=ref.kind, name=ref.name)


def read_keys(ref: Ref, snap: Facts) -> Keys | None:
    """Return the keys of an object that was read whole."""
    return next((f for f in snap.of(Keys, ref) if f.whole), None)


def find_settings(pod: Ref, container: str | None, snap: Facts) -> ContainerSettings | None:
    """Return the settings of the container, or of the Pod's only one."""
    return next(
        (c for f in snap.of(PodSettings, pod) for c in f.items if c.name == container or len(f.items) == 1),
        None,
    )


def list_variables(pod: Ref, container: str | None, snap: Facts) -> tuple[VariableSource, ...]:
    """Return the variables that the container gets from one key each."""
    return tuple(
        v for f in snap.of(PodSettings, pod) for c in f.items if c.name == container for v in c.variables
    )


def list_whole_objects(pod: Ref, container: str | None, snap: Facts) -> tuple[Ref, ...]:
    """Return the objects that the container takes whole, in their order: the last one with a key wins."""
    return tuple(
        n.object
        for f in snap.of(Needs, pod)
        for n in f.items
        if n.by == "envFrom" and n.container == container
    )


def list_whole_variables(pod: Ref, container: str | None, snap: Facts) -> WholeVariables:
    """Return the variables from objects taken whole, and the objects that are still to be read."""
    prefixes = {
        p.object: p.prefix
        for f in snap.of(PodSettings, pod)
        for c in f.items
        if c.name == container
        for p in c.prefixed
    }
    read = [(ref, read_keys(ref, snap)) for ref in list_whole_objects(pod, container, snap)]
    items = tuple(
        VariableSource(f"{prefixes.get(ref, '')}{key}", ref, key)
        for ref, keys in read
        if keys
        for key in keys.names
    )
    return WholeVariables(
        items,
        tuple(v for v in items if v.name != v.key),
        unique(
            want
            for ref, keys in read
            if keys is None
            for want in (*is_absent(snap, ref).wants, Want(Keys, ref))
        ),
    )


def find_shape(pod: Ref, container: str | None, name: str, snap: Facts) -> Text:
    """Return what is odd in the form of a variable's value; empty if nothing is, or it was not read."""
    found = _find_key(pod, container, name, snap)
    shapes = (
        [s.shape for f in snap.of(Keys, found.object) for s in f.shapes if s.key == found.key]
        if found
        else [
            s.shape
            for f in snap.of(PodSettings, pod)
            for c in f.items
            if c.name == container
            for s in c.values
            if s.key == name
        ]
    )
    told = next((_SHAPES[shape] for shape in shapes if shape in _SHAPES), NO_TEXT)
    return say("; its value {shape}", shape=told) if told.en else NO_TEXT


def find_variable_place(pod: Ref, container: str | None, name: str, snap: Facts) -> Text:
    """Return `variable DB_URL (key url of Secret shop-db)`; without the key if the template has the value."""
    found = _find_key(pod, container, name, snap)
    if found is None:
        return say("variable {name}", name=name)
    return say("variable {name} (key {key} of {of})", name=name, key=found.key, of=name_object(found.object))


def _find_key(pod: Ref, container: str | None, name: str, snap: Facts) -> VariableSource | None:
    """Return the key that gives a variable its value: its own before one of an object taken whole."""
    # The last of several objects with a key gives its value (core/v1, EnvFromSource).
    whole = reversed(list_whole_variables(pod, container, snap).items)
    return next((v for v in (*list_variables(pod, container, snap), *whole) if v.name == name), None)
