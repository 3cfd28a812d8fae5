"""The container's command is not in the image

## How it happens

`command` in the Pod's spec, or the image's own entrypoint, names a file that the container does not have: a
typing error, another base image or architecture of path (`/usr/local/bin` and `/usr/bin`), a build stage that
was not copied, a volume mounted over the directory, or a shell that a minimal image lacks. Or there is no
command at all: no `command` in the spec, and an image without an entrypoint, as `docker import` makes it
where `docker load` was meant.

## How to tell

The kubelet reports StartError or RunContainerError with the runtime's words: `exec: "/app/server": stat
/app/server: no such file or directory` for a path, `executable file not found in $PATH` for a bare name, `no
command specified` where none is named. The container's process never ran, so it has no log.

## Known limits

`exec /run.sh: no such file or directory`, without `stat`, is the kernel's message about an existing file: the
interpreter in its first line (`/bin/sh` and a carriage return, in a file from Windows), or its dynamic
loader, is missing. A shell in the container that does not find a command returns 127 after it has run: that
is container.exits-by-itself. A probe's or a hook's command that is not found does not keep the container from
starting. A bare name may be missed because the runtime set no $PATH (containerd 1.2.7 to 1.2.9), so that in a
cluster a message alone makes it no more than possible; in a text it is likely, as it was the cause of most
reports with this message. A file in $PATH that is not executable is skipped in the same way.

## References

- runc libcontainer/standard_init_linux.go, Go os/exec; Kubernetes pkg/kubelet/kuberuntime (ErrRunContainer)
"""

from __future__ import annotations

from unstuck.causes._starting import wants_search_path
from unstuck.causes.container._ends import STAGES, name_container
from unstuck.causes.container._refused import note_where_set, start_refusals
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import hearsay
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# runc has looked the file up before it executes it, so the kernel misses another one
# (libcontainer/standard_init_linux.go, 1.0–1.3).
_EXECUTED = regex(r"(?:standard_init_linux\.go:\d{1,5}: )?exec (?:user process caused|\"?/)")


def _rule(pod: Ref, snap: Facts) -> Signs:
    said, mine = start_refusals(pod, snap, lambda f: f.error in ("exec-not-found", "no-command"))

    return Signs(
        decisive={"the runtime did not find the command, and that container has not run": mine},
        supporting={
            "a message says that a path was not found, or that none was given": hearsay(
                snap, Failure, pod, lambda f: [f] if f in said.hits and not wants_search_path(f) else []
            )
        },
        finding=lambda: _make_finding(pod, (*mine.hits, *said.hits)[0], snap),
    )


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    if failure.error == "no-command":
        return _make_finding_without_command(pod, failure)
    what = failure.path or failure.key
    name = failure.container
    who = name_container(name)
    says = say("{who} cannot start: {what} does not exist in it", who=who, what=what)
    if failure.key and not failure.path:
        says = say("{who} cannot start: {what} is not in its $PATH", who=who, what=what)
    mend = say(
        "if the image should have it, correct its name or path, and check that no volume is mounted over its "
        "directory; if not, use an image that has it"
    )
    if failure.key and " " in failure.key.strip() and not failure.path:
        says = say(
            "{who} cannot start: its whole command line “{what}” is used as the name of one program",
            who=who,
            what=what,
        )
        mend = say(
            "write the command as a list, one item for each word, or run the line with a shell: [sh, -c, …]"
        )
    notes = list(note_where_set(find_container_spec(pod, name, snap)))
    if _EXECUTED.match(failure.message):
        of = say("{what}", what=what) if what else say("its program")
        says = say("{who} cannot start: it lacks the interpreter or loader of {of}", who=who, of=of)
        mend = say(
            "a script: save it with Unix line endings and use an interpreter in its first line that the "
            "image contains; a binary: build it for the image's C library, or statically"
        )
        notes.append(
            say(
                "a script with Windows line endings (CRLF) asks for `/bin/sh\\r`; a binary may be linked "
                "against another C library"
            )
        )
    elif failure.path and "stat " not in failure.message:
        notes.append(say("the file itself may exist while its interpreter or loader is missing"))
    return Finding(
        says,
        make_container_ref(pod, name),
        (pod,),
        tuple(notes),
        (
            Step(
                mend,
                where="source",
                verify=say("the container starts and logs"),
            ),
        ),
    )


def _make_finding_without_command(pod: Ref, failure: Failure) -> Finding:
    who = name_container(failure.container)
    return Finding(
        say("{who} cannot start: neither its image nor the Pod sets a command", who=who),
        make_container_ref(pod, failure.container),
        (pod,),
        (
            say(
                "an image created with docker import has none; an incomplete "
                "download or load may have lost it"
            ),
        ),
        (
            Step(
                say(
                    "set a command, or use an image that has an entrypoint; load the output of docker save "
                    "(docker load, ctr -n k8s.io images import), do not docker import it"
                ),
                where="source",
                verify=say("the container starts and logs"),
            ),
        ),
    )


CAUSE = Cause(
    id="container.command-not-found",
    title=say("the container's command is not in the image"),
    subjects=("Pod",),
    stages=(*STAGES, "containers-created"),
    reads=frozenset({Failure, ContainerStatuses, Containers}),
    rule=_rule,
)
