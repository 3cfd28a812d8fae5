"""The output of kubectl when the server refuses: its own answer to the command above it, so a fact and no
hearsay.

Source: staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go (`Error from server (REASON): …`), since 1.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.collect.objects.kinds import builtin, find_kind, ref_kind
from unstuck.collect.objects.unreadable import parse_answer
from unstuck.collect.text.cutting.message import is_known
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.kubectl.listing import asks_for_all, find_selector, is_get
from unstuck.facts.aspects.objects import Names, Presence
from unstuck.facts.aspects.pod import ContainerStatus, ContainerStatuses
from unstuck.facts.aspects.refusals import Refusal, Refusals
from unstuck.facts.core import Fact, Ref, Refused
from unstuck.facts.regex import regex
from unstuck.wording.etcd import is_storage_full
from unstuck.wording.refused import parse_refusals

_NOT_FOUND = regex(
    r"^\s*Error from server \(NotFound\): (?P<what>[a-z0-9.-]{1,200}) \"(?P<name>[^\"]{1,253})\" not "
    r"found\s*$"
)
_NO_ACCESS = regex(
    r"^\s*Error from server \(Forbidden\): (?P<what>[a-z0-9.-]{1,200})(?: \"(?P<name>[^\"]{1,253})\")? is "
    r"forbidden: User "
)
# pkg/kubelet/kubelet_pods.go (validateContainerLogStatus), of `kubectl logs`.
_WAITS = regex(
    r"^\s*Error from server \(BadRequest\): container \"(?P<container>[^\"]{1,63})\" in pod \""
    r"(?P<pod>[^\"]{1,253})\" is waiting to start: "
    r"(?P<why>\S.{0,200}?)\s*$"
)
# For these there is no reason, only a message.
_WORDS_FOR = {"trying and failing to pull image": "ImagePullBackOff", "image can't be pulled": "ErrImagePull"}
_REASON = regex(r"[A-Z][A-Za-z]{2,60}")
_NONE = regex(r"^\s*No resources found(?: in (?P<ns>[a-z0-9-]{1,63}) namespace)?\.?\s*$")


# staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go (checkErr): an invalid object is reported without "Error
# from server".
_INVALID = regex(r'^\s*The [\w.-]{1,253} "[^"]{1,253}" is invalid: \S')
_WRITES = ("patch", "edit", "replace", "apply")


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of one line: each is its own answer."""
    line = lines[i]
    start = ("Error from server (", "Error from server: ", "No resources found")
    if _WAITS.match(line):
        return i + 1
    told = line.lstrip().startswith(start) or _INVALID.match(line) is not None
    return i + 1 if told and command is not None and command.program == "kubectl" else None


def read(piece: Piece) -> Reading:
    """Return Presence(exists=False) for a missing object requested by name, Refused for a forbidden one, and
    the state of a waiting container.
    """
    out = Reading()
    line, command = piece.lines[0], piece.command
    found = _NOT_FOUND.match(line)
    if found and command and _is_asked_for(command, found["name"]):
        ref = _make_ref(found["what"], found["name"], piece.namespace)
        out.facts.append(
            Presence(
                about=ref,
                src=piece.src(0),
                exists=False,
                whole=ref.within is not None or _is_cluster_scoped(ref),
            )
        )
    if _NONE.match(line) and is_get(command) and (listed := _find_named_object(piece)):
        out.facts.append(
            Names(
                about=listed,
                src=piece.src(0, command.text if command else None),
                names=(),
                whole=False,
                asked_all=asks_for_all(command),
                selector=find_selector(command),
            )
        )
    refused = _NO_ACCESS.match(line)
    if refused and command:
        ref = _make_ref(refused["what"], refused["name"], piece.namespace)
        out.facts.append(
            Refused(about=ref, src=piece.src(0), want="Presence", why="denied", detail=line.strip()[:300])
        )
    out.facts += _parse_waiting_container(piece)
    out.facts += _parse_refused_write(piece)
    out.facts += _parse_storage_errors(piece)
    # A message that the server passes on is read like any other.
    out.understood = bool(out.facts) or not is_known(line)
    return out


def _parse_waiting_container(piece: Piece) -> Iterator[Fact]:
    """Yield the container that has not started, with the reason that its kubelet waits for."""
    found = _WAITS.match(piece.lines[0])
    if found is None:
        return
    why = _WORDS_FOR.get(found["why"], found["why"])
    pod = Ref("Pod", piece.namespace, found["pod"])
    if _REASON.fullmatch(why):
        one = ContainerStatus(found["container"], "main", "waiting", why)
        yield ContainerStatuses(about=pod, src=piece.src(0), items=(one,), whole=False)


def _parse_storage_errors(piece: Piece) -> list[Fact]:
    """Return the facts of a server's answer that etcd accepts no more writes, or holds an unreadable
    object.
    """
    about, line = _find_named_object(piece), piece.lines[0]
    if is_storage_full(line):
        full = (Refusal("storage-full", why=line.strip()[:300]),)
        return [Refusals(about=about or Ref("Cluster"), src=piece.src(0), items=full, whole=False)]
    return (
        [*parse_answer(line, about, piece.src(0))]
        if about and line.lstrip().startswith("Error from server")
        else []
    )


def _find_named_object(piece: Piece) -> Ref | None:
    """Return the object that the command names as `VERB KIND NAME` or `VERB KIND/NAME`; of `get KIND` the
    list.
    """
    words = [w for w in piece.command.arguments if not w.startswith("-")] if piece.command else []
    if len(words) < 2 or words[0] not in (*_WRITES, "get", "delete", "describe", "label", "annotate"):
        return None
    kind, _, name = words[1].partition("/")
    name = name or (words[2] if len(words) > 2 and words[2] != piece.namespace else "")
    ref = _make_ref(kind, name or None, piece.namespace)
    return ref if name else Ref(f"{ref.kind}List", piece.namespace) if words[0] == "get" else None


def _parse_refused_write(piece: Piece) -> list[Refusals]:
    """Return the server's refusal of a `kubectl patch` (or the like) that removes a finalizer."""
    command, line = piece.command, piece.lines[0]
    words = command.arguments if command else ()
    if (
        command is None
        or not words
        or words[0] not in _WRITES
        or "finalizers" not in command.text
        or len(words) < 2
    ):
        return []
    kind, _, name = words[1].partition("/")
    name = name or (words[2] if len(words) > 2 else "")
    told = parse_refusals(line)
    if not name or not told:
        return []
    items = tuple(
        Refusal(error, Ref(by, None, who) if by else None, None, why[:300]) for error, by, who, why in told
    )
    return [
        Refusals(about=_make_ref(kind, name, piece.namespace), src=piece.src(0), items=items, whole=False)
    ]


def _is_asked_for(command: TypedCommand, name: str) -> bool:
    """Tell whether the command asks for this object: a message inside a printed log is not an answer."""
    verb = next((w for w in command.arguments if w in ("get", "describe", "delete", "edit", "patch")), None)
    return verb is not None and any(name in (w, w.rpartition("/")[2]) for w in command.arguments)


def _make_ref(what: str, name: str | None, namespace: str | None) -> Ref:
    """Make a reference: `configmaps` → `ConfigMap`, `widgets.example.com` as it is, since only the plural of
    a foreign kind is known.
    """
    own = find_kind(what)
    if own:
        return Ref(own.ref_kind, namespace if own.namespaced else None, name)
    plural, _, group = what.partition(".")
    return Ref(ref_kind(group, plural) if group else plural, namespace, name)


def _is_cluster_scoped(ref: Ref) -> bool:
    own = builtin(ref.kind)
    return own is not None and not own.namespaced
