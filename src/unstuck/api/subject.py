"""Which object is meant by the words that a person types."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.objects.kinds import typed
from unstuck.errors import UsageError
from unstuck.facts.core import Ref
from unstuck.facts.text import Text


def parse_subject(words: Sequence[str], namespace: str | None) -> Ref | None:
    """Return the object that the words name, None where there are none. Raises UsageError."""
    return object_named(words, namespace) if words else None


def object_named(words: Sequence[str], namespace: str | None) -> Ref:
    """Parse `pod/x` or `pod x`, one word or more; a kind that is not Kubernetes' own stays as typed. Raises UsageError."""
    kind, slash, name = words[0].partition("/")
    if slash and len(words) == 1:
        pass
    elif not slash and len(words) == 2:
        name = words[1]
    elif not slash and len(words) == 1:
        raise UsageError(
            Text(f"{words[0]!r} is a kind or a name, not both", f"{words[0]!r} 只是类别或名称之一，二者缺一不可"),
            Text(f"write KIND/NAME, for example pod/{words[0]}", f"请写作 KIND/NAME，例如 pod/{words[0]}"),
        )
    else:
        typed_words = " ".join(words)
        raise UsageError(
            Text(f"one object at a time, not {typed_words!r}", f"一次只能问一个对象，而不是 {typed_words!r}"),
            Text("write KIND/NAME or KIND NAME", "请写作 KIND/NAME 或 KIND NAME"),
        )
    if not kind or not name or "/" in name:
        typed_words = " ".join(words)
        raise UsageError(
            Text(f"{typed_words!r} names no object", f"{typed_words!r} 没有指明对象"),
            Text("write KIND/NAME, for example pod/web-0", "请写作 KIND/NAME，例如 pod/web-0"),
        )
    known = typed(kind)
    return known.ref(namespace, name) if known else Ref(kind, namespace, name)
