"""Recognises facts from Events, which cite their Event's list; and gives the subject of Events without an
object.
"""

from __future__ import annotations

from unstuck.facts.aspects.objects import Events
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

# Source: kubelet pkg/kubelet/images/image_manager.go (EnsureImageExists), 1.9–1.34.
_OF_IMAGE = regex(r"(?:Container image|[Pp]ull(?:ed|ing) image) \"(?P<image>[^\"\s]{1,300})\"")


def is_from_events(fact: Fact, snap: Facts) -> bool:
    """Tell whether the fact is a list of Events, or was read out of one about the same subject."""
    return isinstance(fact, Events) or any(
        fact.src.where == events.src.where for events in snap.of(Events, fact.about)
    )


def make_nameless_ref(namespace: str | None) -> Ref:
    """Return the subject of a Namespace's Events without an object: they may be about any object in it."""
    return Ref("Event", namespace)


def find_only_image(pod: Ref, snap: Facts) -> str:
    """Return the image that the kubelet's Events about a Pod name; "" if they name none, or several."""
    messages = (e.message for f in snap.of(Events, pod) for e in f.items if e.reason in ("Pulled", "Pulling"))
    images = {found["image"] for message in messages if (found := _OF_IMAGE.search(message))}
    return images.pop() if len(images) == 1 else ""
