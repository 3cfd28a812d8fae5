"""The treatment of each text by its nature, the parts that stay, and why: documented in the file itself,
and in docs/en/redaction.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from unstuck.collect.redact.natures import Nature
from unstuck.facts.record import Record, record
from unstuck.facts.text import Messages, Text

say = Messages(__name__)


@record()
class RedactionRule(Record):
    """of: the nature of such a text. stays: the part that is kept. why: the reason why that part identifies
    no one, or the loss without it.
    """

    of: Text
    stays: Text
    why: Text


RULES: Mapping[Nature, RedactionRule] = {
    "id": RedactionRule(
        say("uids and ids of containers"),
        say("all of it, where it is written as one"),
        say("made at random by the API server and the runtime; logs and directories are found by it"),
    ),
    "quantity": RedactionRule(
        say("amounts"),
        say("a number with its unit"),
        say("causes calculate with it"),
    ),
    "version": RedactionRule(
        say("versions of software"),
        say("its numbers, and marks of at most three characters (`el7`)"),
        say("causes depend on it; anybody may run it"),
    ),
    "word": RedactionRule(
        say("words of Kubernetes, Linux and unstuck, such as a phase or an error"),
        say("the word, where unstuck knows it; else as any text"),
        say("causes compare it; it is nobody's name"),
    ),
    "where": RedactionRule(
        say("where an observation was made"),
        say("the API's groups and types, numbers of lines"),
        say("the same everywhere"),
    ),
    "ref": RedactionRule(
        say("the name of what a fact is about"),
        say("as of a name, an image or any text, by its kind"),
        say("see there"),
    ),
    "name": RedactionRule(
        say("names of objects and hosts"),
        say(
            "names that every cluster has (`kube-system`, `coredns`); an ordinal or random letters at the "
            "end (`-0`, `-x7k2p`)"
        ),
        say("a controller put it there; it shows which Pods are of one owner"),
    ),
    "image": RedactionRule(
        say("references of images"),
        say(
            "hosts of public registries, and of a cloud's all but the customer's label; short numbers in "
            "the tag"
        ),
        say("causes depend on which registry it is"),
    ),
    "output": RedactionRule(
        say("a container's own words"),
        say("as of any text, but numbers of at most four digits"),
        say("anybody's numbers may stand there"),
    ),
    "opaque": RedactionRule(
        say("a machine's identifier at its cloud"),
        say("nothing"),
        say("no cause reads it"),
    ),
    "text": RedactionRule(
        say("anything else: messages, quotes, paths, labels, commands"),
        say(
            "words that stand in unstuck's own source; numbers of at most eight digits; times; amounts and "
            "durations with their unit; uids and ids of containers that some fact's own field has; loopback "
            "addresses and masks; single letters and punctuation"
        ),
        say("messages keep their sense, and everything that is not known to be harmless goes"),
    ),
}
