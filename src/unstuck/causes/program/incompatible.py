"""A program does not accept the version or kind of its input

## How it happens

A chart asks for another version of Kubernetes, a tool finds data of another driver or release of it, a plugin
is older than its caller.

## How to tell

The message names the incompatible parts: `chart requires kubeVersion: … which is incompatible with Kubernetes
v1.24.1`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen.

## References

- Helm pkg/action/install.go (`validateDependencies`, `kubeVersion`); Kubernetes documentation: Version Skew
  Policy
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_UNKNOWN_KIND = regex(r"no kind \"(?P<kind>\w+)\" is registered for version \"(?P<version>[\w./-]+)\"")
_EXEC_PLUGIN = regex(r"to use API version (?P<asked>[\w./-]+), plugin returned version (?P<given>[\w./-]+)")
_OF_DATA = regex(
    r"(?i)data(?:base)? (?:files|directory)|\b(?:initiali[sz]ed|created|written|built) by\b|\b(?:up"
    r"|down)grade from"
)
_MOVE_DATA = Step(
    say(
        "or move the data over: run the version that wrote them once more, dump them, and load them with "
        "the new one; or use the tool for this step (pg_upgrade, mysqld through each major version); "
        "after a backup"
    )
)
_REMAKE = DoNot(
    say(
        "delete the existing data just to have it created by the other version, before you know what it "
        "contains"
    ),
    say("its data go with it"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("incompatible",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    if unknown := _UNKNOWN_KIND.search(one.complaint.reason):
        return _make_unknown_kind_finding(pod, one, unknown["kind"], unknown["version"])
    if plugin := _EXEC_PLUGIN.search(one.complaint.reason):
        return _make_exec_plugin_finding(pod, one, plugin["asked"], plugin["given"])
    means = say("two components or versions do not match: {reason}", reason=one.complaint.reason.rstrip(" ."))
    step = mend(
        say(
            "use a version or setting of one of the two that fits the other, or go back to the version that "
            "wrote the existing data"
        )
    )
    steps = (step, _MOVE_DATA) if _OF_DATA.search(one.complaint.reason) else (step,)
    return make_finding(pod, one, means, steps, do_not=(_REMAKE,))


def _make_exec_plugin_finding(pod: Ref, one: ProgramMessage, asked: str, given_: str) -> Finding:
    """Return the finding for a kubeconfig whose plugin for credentials answers in another version."""
    means = say(
        "the kubeconfig asks its credential plugin for {asked}, and the installed plugin answers in {given}",
        asked=asked,
        given=given_,
    )
    view = Step(
        say("see the plugin, and the apiVersion below users[].user.exec"),
        command=command("kubectl config view --minify"),
    )
    fix = Step(
        say(
            "set apiVersion in the exec section of the kubeconfig to {given}, usually by having it written "
            "once more (aws eks update-kubeconfig, gcloud container clusters get-credentials, az aks "
            "get-credentials); or use a version of the plugin that answers in {asked}",
            asked=asked,
            given=given_,
        ),
        verify=say("kubectl version prints the server's version"),
    )
    return make_finding(pod, one, means, (view, fix))


def _make_unknown_kind_finding(pod: Ref, one: ProgramMessage, kind: str, version: str) -> Finding:
    """Return the finding of a program that was built without this version of a kind."""
    means = say(
        "the program that writes this does not know {kind} of {version}: it was built for other versions of "
        "this API, mostly older ones",
        kind=kind,
        version=version,
    )
    who = one.by or say("the program")
    step = mend(
        say(
            "use a release of {who} that knows {version}, or write the object in a version that it knows",
            who=who,
            version=version,
        )
    )
    return make_finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.incompatible",
    title=say("a program does not accept the version or kind of its input"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
