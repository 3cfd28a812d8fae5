"""What to do about a relation that does not hold between two things, as any program states it: two versions,
two ranges, a size and its limit, a hash and another, two zones.
"""

from __future__ import annotations

import re

from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.regex import regex

say = Messages(__name__)

# What to do about a relation, by the things that it is about. The first row that fits counts.
_BY_THINGS: tuple[tuple[re.Pattern[str], Text], ...] = (
    (
        regex(
            r"(?i)\b(?:hash|checksum|fingerprint|ca certs?|cacerts?|ca certificate)\b.{0,200}\bnot match\b"
        ),
        say(
            "fetch the token, command or checksum from the server again: the server has a new CA since "
            "then, or this one belongs to another server; check which CA the server presents"
        ),
    ),
    (
        regex(r"(?i)\bnot (?:in|on|of) the same (?:availability )?(?:zone|region)\b"),
        say(
            "put both into the same zone: a volume cannot move, so run the Pod on a Node in the volume's "
            "zone, or create the volume where the Pod runs (volumeBindingMode: WaitForFirstConsumer)"
        ),
    ),
    (
        regex(r"(?i)\boverlaps?\b"),
        say(
            "give one of the two a range that nothing else uses, neither the node network nor the Pod or "
            "Service range"
        ),
    ),
    (
        regex(r"(?i)\bcidr\b.{0,120}\b(?:range of|outside|not within|not contained)\b"),
        say(
            "decide which range is the intended one, and correct the option with the other; a range that "
            "is already assigned (spec.podCIDR of a Node) changes only if the object is created again"
        ),
    ),
    (
        regex(r"(?i)\bkernel\b.{0,80}\b(?:older|lower|less) than\b|\bkernel\b.{0,80}\bnot support"),
        say("run a newer kernel on this node, or a release of the program for this kernel"),
    ),
    (
        regex(r"(?i)\b(?:older|newer) than\b"),
        say("use versions that match: upgrade the older one, or downgrade the newer one"),
    ),
    (
        regex(
            r"(?i)\b(?:less|lower|smaller|fewer|greater|larger|higher|more|bigger) than\b"
            r"|\btoo (?:small|large|long|short)\b"
        ),
        say("use a value within the limit that it names"),
    ),
    (
        regex(
            r"(?i)\b(?:already|still) (?:bound|assigned|claimed|attached|mounted|allocated"
            r"|reserved|exported|owned|managed|in use|used)\b"
        ),
        say(
            "see what uses it now; release it there if that use is over or wrong, otherwise choose another "
            "one"
        ),
    ),
    (
        regex(r"(?i)\b(?:marked for deletion|being deleted)\b"),
        say("wait until it is deleted, then create it again; if it stays, check its finalizers"),
    ),
    (
        regex(
            r"(?i)\bnot (?:supported|compatible|allowed|permitted|enabled|installed)\b"
            r"|\b(?:disabled|deprecated)\b"
        ),
        say(
            "remove the setting that it names, or enable the feature; otherwise use a version that "
            "supports it"
        ),
    ),
    (
        regex(r"^[Mm]ultiple\b"),
        say("keep only one of them: remove the tag, label or default from the others"),
    ),
)


def advise_relation(words: str) -> Text | None:
    """Return what to change so that the relation holds; None if these words state no known one."""
    return next((step for said, step in _BY_THINGS if said.search(words)), None)
