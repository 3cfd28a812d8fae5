"""The container cannot enter its working directory

## How it happens

The runtime changes to `workingDir` (or the image's own WORKDIR) as the user that the container gets. Images
for one user set it to that user's home (`/home/nonroot`, mode 0700); where the cluster gives another user
(OpenShift's ranges, a PodSecurityPolicy, `runAsUser`), that one may not enter it. Newer runc (from 1.0.0-rc92
on) asks this of the container's user, older ones asked it of root, so that an upgrade of the Nodes shows it.
Or a file lies where the directory should be.

## How to tell

The kubelet reports CreateContainerError, RunContainerError or StartError with `chdir to cwd ("DIR") set in
config.json failed: permission denied`, or docker's `Cannot mkdir: DIR is not a directory`. The container's
process never ran, so it has no log.

## Known limits

Which user the image expects is not seen from here. A volume mounted over that directory has its own owner and
mode.

## References

- runc libcontainer/init_linux.go (finalizeNamespace, verifyCwd), pull 2086; crun src/libcrun/container.c
"""

from __future__ import annotations

from unstuck.causes.container._ends import STAGES, name_container
from unstuck.causes.container._refused import start_refusals
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import only_yes
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    said, mine = start_refusals(pod, snap, lambda f: f.error == "working-directory")
    return Signs(
        decisive={"the runtime could not enter the directory, and that container has not run": mine},
        supporting={"a message says that the directory could not be entered": only_yes(said)},
        finding=lambda: _make_finding(pod, (*mine.hits, *said.hits)[0]),
    )


def _make_finding(pod: Ref, failure: Failure) -> Finding:
    who, where = name_container(failure.container), failure.path or "?"
    why = say("its user may not enter it")
    if "not a directory" in failure.message:
        why = say("it is a file")
    elif "no such file" in failure.message:
        why = say("it does not exist")
    return Finding(
        say("{who} cannot start in its working directory {where}: ", who=who, where=where) + why,
        make_container_ref(pod, failure.container),
        (pod,),
        help=(
            Step(
                say(
                    "if the program does not need it, set workingDir to a directory that every user may "
                    "enter (`/`)"
                ),
                where="source",
                verify=say("the container starts and logs"),
            ),
            Step(
                say(
                    "or run the container as the user the image expects (runAsUser), or build the image so "
                    "that group 0 or everyone may enter the directory"
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("run it as root as a workaround"),
                say(
                    "the program then runs as root on the node's kernel, and its files "
                    "belong to root afterwards"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="container.working-directory-unusable",
    title=say("the container cannot enter its working directory"),
    subjects=("Pod",),
    stages=(*STAGES, "containers-created"),
    reads=frozenset({Failure, ContainerStatuses}),
    rule=_rule,
)
