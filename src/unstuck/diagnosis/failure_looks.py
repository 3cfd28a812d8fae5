"""The look that fits a failing call, by the attempt and the kind of failure: a table with one row for each
class of calls.
"""

from __future__ import annotations

from collections.abc import Callable

from unstuck.diagnosis import asking, look_commands
from unstuck.diagnosis import class_commands as by
from unstuck.diagnosis.command import NO_COMMAND, Command
from unstuck.diagnosis.line_classes import BUDGETS, ROOM
from unstuck.diagnosis.looking import NamedLook
from unstuck.diagnosis.mentioned import names_in
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord, Operation

say = Messages(__name__)

_ATTACHED = say("to which node it is attached, and whether that is being undone")
_PLATFORMS = say("for which platform each Node is; then, whether the image has it")
_REGISTRY = say("what the registry answers to this machine; compare with one that pulls")
_LIMITS = say("what the Namespace allows and demands of a Pod")
_LABELS = say("what the Namespace enforces of its Pods")
_ADDRESSES = say("why the plugin got no address")
_INOTIFY = say("the limits of inotify, and who uses most of it")
_CONTEXT = say("as which user Pod and container are to run; then, as which one the image does")
_UNTIL = say("until when the kubelet's client certificate is valid")


@record()
class FailureClass(Record):
    """A class of failing calls. tried: empty for any. look: the command about the named thing; `NO_COMMAND`
    if the name is missing.

    piped: whether its output is read here.
    """

    tried: tuple[Operation, ...]
    failed: tuple[ErrorWord, ...]
    says: Text
    look: Callable[[Failure], Command]
    on_node: bool = False
    piped: bool = False


_ASKED = regex(r"https://(?P<host>[A-Za-z0-9.-]{1,253}(?::\d{1,5})?)/v2/")
_OPTION = regex(r" -n \\*\"?(?P<space>[a-z0-9][a-z0-9-]{0,62})\b")
_PULLS: tuple[Operation, ...] = ("image-pull", "sandbox-image-pull")


def _find_space(f: Failure) -> str | None:
    """Return the Namespace that a failing call is about, by its subject, its object, or a `-n` in its
    message.
    """
    found = _OPTION.search(f.src.quote)
    return f.about.within or (f.object.within if f.object else None) or (found["space"] if found else None)


def _make_registry_command(f: Failure) -> Command:
    found = _ASKED.search(f.src.quote)
    return by.registry(found["host"]) if found else NO_COMMAND


def _find_volume(f: Failure) -> Command:
    name = names_in(f.volume or "").volume or names_in(f.src.quote).volume
    return look_commands.attachments(name) if name else NO_COMMAND


_AWAY: tuple[ErrorWord, ...] = (
    "attacher-silent",
    "multi-attach",
    "still-attached",
    "detach-unfinished",
    "attachment-deleting",
    "mounted-elsewhere",
    "used-elsewhere",
    "timeout",
    "deadline-exceeded",
)
FAILURES: tuple[FailureClass, ...] = (
    FailureClass(("volume-attach", "volume-detach"), _AWAY, _ATTACHED, _find_volume),
    FailureClass(_PULLS, ("platform-missing",), _PLATFORMS, lambda _: by.architectures()),
    FailureClass(
        ("container-start", "container-create", "program-run"),
        ("exec-format",),
        _PLATFORMS,
        lambda _: by.architectures(),
    ),
    FailureClass(
        _PULLS,
        (
            "forbidden",
            "http-status",
            "server-error",
            "html-answer",
            "rate-limited",
            "unauthorized",
            "no-credentials",
        ),
        _REGISTRY,
        _make_registry_command,
        on_node=True,
    ),
    FailureClass(
        ("pod-create",),
        ("limit-range", "quota-exceeded", "quota-needs-requests"),
        _LIMITS,
        lambda f: by.limits(_find_space(f)),
    ),
    FailureClass(("pod-create",), ("pod-security",), _LABELS, lambda f: by.namespace_labels(_find_space(f))),
    FailureClass(
        ("container-create", "container-start"),
        ("run-as-root",),
        _CONTEXT,
        lambda f: asking.get_as_yaml(f.about),
        piped=True,
    ),
    FailureClass(("evict",), ("budget-blocked",), BUDGETS, lambda f: by.budgets(_find_space(f))),
    FailureClass(
        ("network-set-up",),
        ("address-unassigned",),
        _ADDRESSES,
        lambda _: by.file_end("/var/log/aws-routed-eni/ipamd.log"),
        on_node=True,
    ),
    FailureClass(
        ("kubelet-start", "certificate-check"),
        ("certificate-expired",),
        _UNTIL,
        lambda _: look_commands.client_certificate(),
        on_node=True,
    ),
    FailureClass(
        (), ("instances-exhausted", "watches-exhausted"), _INOTIFY, lambda _: by.inotify(), on_node=True
    ),
    FailureClass((), ("storage-full",), ROOM, lambda _: by.etcd_room(), on_node=True),
)


def look_of_failure(failure: Failure) -> NamedLook | None:
    """Return the look for a failing call's class; None if it has no class, or lacks the name that the look
    needs.
    """
    for one in FAILURES:
        failed: tuple[ErrorWord, ...] = one.failed
        tried: tuple[Operation, ...] = one.tried
        if (
            failure.error in failed
            and (not tried or failure.operation in tried)
            and (made := one.look(failure))
        ):
            return NamedLook(made, one.says, on_node=one.on_node, for_reader=not (one.on_node or one.piped))
    return None
