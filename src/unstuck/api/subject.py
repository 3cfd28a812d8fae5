"""Parses typed words into the intended object."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.objects.kinds import find_kind
from unstuck.errors import UsageError
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.facts.text import Messages, same_in_both

say = Messages(__name__)


@record()
class QuestionTarget(Record):
    """The subject of a command line; an empty one means the worst problem. refs: objects by their names.
    kinds: words for kinds, narrowed by a selector.

    name: a bare name without its kind. labels, fields: the selectors. everywhere: in all Namespaces.
    """

    refs: tuple[Ref, ...] = ()
    kinds: tuple[str, ...] = ()
    name: str | None = None
    labels: str = ""
    fields: str = ""
    everywhere: bool = False


def find_target(words: Sequence[str], namespace: str | None, *, selected: bool = False) -> QuestionTarget:
    """Return the subject of the words: `pod/x svc/y`, `pod x y`, a bare name; with `selected`, kinds, by
    default Pods.

    selected: whether a selector or `everywhere` is given. Raises UsageError.
    """
    if selected:
        return QuestionTarget(kinds=_parse_kinds(words))
    if not words:
        return QuestionTarget()
    if all("/" in word for word in words):
        return QuestionTarget(tuple(dict.fromkeys(parse_object([word], namespace) for word in words)))
    if len(words) == 1:
        return _parse_bare_word(words[0])
    if with_slash := next((word for word in words if "/" in word), None):
        raise UsageError(
            say("{with_slash!r} names its kind, {word!r} does not", with_slash=with_slash, word=words[0]),
            say("write either KIND/NAME KIND/NAME … or KIND NAME NAME …"),
        )
    kinds = words[0].split(",")
    return QuestionTarget(
        tuple(dict.fromkeys(parse_object([kind, name], namespace) for kind in kinds for name in words[1:]))
    )


def _parse_kinds(words: Sequence[str]) -> tuple[str, ...]:
    if len(words) > 1 or any("/" in word for word in words):
        raise UsageError(
            say("a name, and a selector or -A, exclude each other"),
            say("write the kind alone: unstuck why pods -l app=web"),
        )
    return tuple(kind for word in words for kind in word.split(",") if kind) or ("pods",)


def _parse_bare_word(word: str) -> QuestionTarget:
    """Interpret one word as a name, unless it is a kind."""
    known = find_kind(word)
    if known is None and word:
        return QuestionTarget(name=word)
    kind = known.name.lower() if known else "pod"
    called = same_in_both(known.name) if known else say("object")
    raise UsageError(
        say("which {called}?", called=called),
        say("write unstuck why {kind}/NAME, or choose with -l KEY=VALUE or -A", kind=kind),
    )


def choose_one(name: str, steps: Sequence[Sequence[Ref]]) -> Ref:
    """Return the object meant by a bare name: the only one in the first group of kinds. Raises UsageError
    with the candidates.
    """
    first = steps[0]
    if len(first) == 1:
        return first[0]
    candidates = ", ".join(f"{ref.kind.lower()}/{ref.name}" for step in steps for ref in step)
    raise UsageError(
        say("{name!r} is the name of more than one object", name=name),
        say("say which one: {told}", told=candidates),
    )


def _is_kind(word: str) -> bool:
    return find_kind(word) is not None or "." in word


def parse_subject(words: Sequence[str], namespace: str | None) -> Ref | None:
    """Return the object named by the words, None without words. Raises UsageError."""
    return parse_object(words, namespace) if words else None


def parse_object(words: Sequence[str], namespace: str | None) -> Ref:
    """Parse `pod/x`, `pod x`, or a scan's form `shop/pod/x`; a custom kind stays as typed.

    Raises UsageError.
    """
    if len(words) == 1 and len(parts := words[0].split("/")) == 3 and all(parts) and _is_kind(parts[1]):
        return parse_object(["/".join(parts[1:])], parts[0])
    kind, slash, name = words[0].partition("/")
    if slash and len(words) == 1:
        pass
    elif not slash and len(words) == 2:
        name = words[1]
    elif not slash and len(words) == 1:
        raise UsageError(
            say("{word!r} is a kind or a name, not both", word=words[0]),
            say("write KIND/NAME, for example pod/{word}", word=words[0]),
        )
    else:
        typed_words = " ".join(words)
        raise UsageError(
            say("one object at a time, not {typed_words!r}", typed_words=typed_words),
            say("write KIND/NAME or KIND NAME"),
        )
    if not kind or not name or "/" in name:
        typed_words = " ".join(words)
        raise UsageError(
            say("{typed_words!r} is not an object", typed_words=typed_words),
            say("write KIND/NAME, for example pod/web-0"),
        )
    known = find_kind(kind)
    return known.ref(namespace, name) if known else Ref(kind, namespace, name)
