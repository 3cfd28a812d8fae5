"""A program or controller does not find or accept a name or value that it is given

## How it happens

A manifest, a chart's values, a configuration or a command line refers to something by name: a path in a
repository, a package, a middleware, a database, a key of a Secret, a provider, a field. The program that
reads it looks it up, does not find or accept it, and says so with the name.

## How to tell

The line is written as an error, or is the message of a condition that is not True, and states the sort and
the name: `middleware "…" does not exist`, `missing dependencies: […]`, `…: app path does not exist`, `must be
one of …, got '…'`.

## Known limits

Its evidence is the message alone: it is never more than likely. If the text has a more specific message, that
is reported instead. Whether the name is wrong, or its target has yet to be created, is not known; at a start
it may be there a moment later.

## References

- Argo CD reposerver/repository/repository.go; Crossplane internal/controller/pkg/revision/dependency.go;
  Traefik pkg/server/middleware
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.causes.program._plain import look_at_settings, make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError
from unstuck.knowledge.kind_words import KIND_WORDS

say = Messages(__name__)

# Every provisioner's message about a field that a dynamically provisioned claim must not have.
_SELECTOR = "elector is not supported"
# The empty value as various languages print it.
_EMPTY = ("<nil>", "nil", "<none>", "null", "None", "undefined", "NaN")
_HIDDEN = say(
    "the quoted value is empty: the setting is not set, or this version rejects a valid value and hides "
    "it; check its release notes"
)
_WITH_QUOTES = say(
    'its quotation marks are part of the value: in an element of args, as in --a="b", nothing strips them'
)
# Istio's words about the answers of a sidecar.
_MESH_CONFIGURATION, _XDS = "configuration", "XDS server"
_ABSENT: ProgramError = "value-absent"
_REFUSED: ProgramError = "value-refused"
_ARGO = "Argo CD"
# Argo CD's own words about the content of a repository; all else is configured where it renders manifests.
_IN_REPOSITORY = regex(r"(?i)\b(?:path|revision|commit|branch|tag|file|chart|repo\w*)\b")
_RENDERING = Step(
    say("check the plugins and settings of Argo CD's repo-server"),
    command=command("kubectl get deployment/argocd-repo-server configmap/argocd-cm -n argocd -o yaml"),
)
# Where the values that each of these is given are written down.
_OF_SPEAKERS: Mapping[str, Step] = MappingProxyType(
    {
        _ARGO: Step(
            say(
                "compare path and targetRevision of the Application with the content of its repository at "
                "that revision"
            ),
            command=command(
                "kubectl get applications.argoproj.io -A -o "
                "'custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,"
                "REPOSITORY:.spec.source.repoURL,PATH:.spec.source.path,REVISION:.spec.source.targetRevision'"
            ),
        ),
        "Flux": Step(
            say("compare path of the Kustomization with the content of its source at the fetched revision"),
            command=command(
                "kubectl get kustomizations.kustomize.toolkit.fluxcd.io -A -o "
                "'custom-columns=NAMESPACE:.metadata.namespace,"
                "NAME:.metadata.name,PATH:.spec.path,SOURCE:.spec.sourceRef.name,"
                "REVISION:.status.lastAttemptedRevision'"
            ),
        ),
        "Crossplane": Step(
            say(
                "compare the installed versions with the dependencies of the package: dependencies in the "
                "lock, dependsOn in the package"
            ),
            command=command(
                "kubectl get "
                "providers.pkg.crossplane.io,configurations.pkg.crossplane.io,functions.pkg.crossplane.io; "
                "kubectl get locks.pkg.crossplane.io lock -o yaml"
            ),
        ),
        "OLM": Step(
            say(
                "compare package, channel, startingCSV and source of the Subscription with what the catalog "
                "offers, and see whether the catalog's Pod runs"
            ),
            command=command(
                "kubectl get packagemanifests -A; kubectl get catalogsources.operators.coreos.com -A; "
                "kubectl get subscriptions.operators.coreos.com -A -o yaml"
            ),
        ),
        "Consul": Step(
            say(
                "see whether the Job that makes Consul's ACL objects (server-acl-init) has ended well, and "
                "its log; it makes the auth methods, roles and policies"
            ),
            command=command("kubectl get jobs,pods -A -l app=consul"),
        ),
        "Traefik": Step(
            say(
                "see whether it is there (before the @ stand its Namespace, a dash and its name), and "
                "whether the provider behind the @ is on in Traefik's configuration"
            ),
            command=command(
                "kubectl get "
                "ingressroutes.traefik.io,middlewares.traefik.io,tlsoptions.traefik.io,"
                "traefikservices.traefik.io -A"
            ),
        ),
    }
)
# Sorts of names that a program itself defines: nothing can be created for one.
_SETTING = regex(r"(?i)\b(?:key|option|setting|property|field|parameter|directive|flag|attribute)s?$")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, (_ABSENT, _REFUSED), lambda one: _make_finding(pod, one))


def _make_mesh_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a sidecar that refuses what its control plane sends it."""
    means = say(
        "Envoy refuses the configuration that its control plane sends ({reason}), and keeps its last one, or "
        "never becomes ready",
        reason=one.complaint.reason,
    )
    look = Step(
        say("see in istiod's log what is refused, and why"),
        command=command(
            "kubectl logs deployment/istiod -n istio-system --since=1h | grep -i -e reject -e NACK"
        ),
    )
    step = mend(
        say(
            "correct the object that this configuration is made from: an EnvoyFilter first, else two "
            "Services or Gateways on one port, a VirtualService, or a certificate that cannot be read"
        )
    )
    return make_finding(pod, one, means, (look, step))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    if c.resource == _MESH_CONFIGURATION and _XDS in c.line:
        return _make_mesh_finding(pod, one)
    who = one.by or (say("it") if pod.kind == "Pod" else say("a program"))
    means = (
        say(
            "{who} does not find {sort} {name}: “{reason}”",
            who=who,
            sort=c.resource,
            name=c.name,
            reason=c.reason,
        )
        if c.error == _ABSENT
        else say(
            "{who} does not accept {sort} {name}: “{reason}”",
            who=who,
            sort=c.resource,
            name=c.name,
            reason=c.reason,
        )
    )
    slashes = c.name.replace("\\", "/")
    notes = (
        (say("it is written with a backslash, as on Windows; elsewhere this path is {path}", path=slashes),)
        if c.resource.endswith("path") and slashes != c.name
        else ()
    )
    if c.name.startswith('"') and c.name.endswith('"'):
        notes = (*notes, _WITH_QUOTES)
    if c.name in _EMPTY:
        notes = (*notes, _HIDDEN)
    if c.name.endswith("/") and c.error == _ABSENT:
        return _make_nameless_finding(pod, one)
    if _SELECTOR in c.reason:
        return _make_selector_finding(pod, one)
    if c.error == _REFUSED and not c.resource:
        return _make_variable_finding(pod, one)
    step = mend(
        say(
            "correct {sort} {name} where it is written, or take it out if this release has none of that name",
            sort=c.resource,
            name=c.name,
        )
        if c.error == _ABSENT and _SETTING.search(c.resource)
        else say(
            "if {name} is not the name that is meant, correct it; if it is, create what it refers to",
            name=c.name,
        )
        if c.error == _ABSENT
        else say("set {sort} to a value that this version accepts, or use another version", sort=c.resource)
        if c.name in _EMPTY
        else say(
            "replace {name} with a value that is accepted, or use a version that accepts it",
            name=c.name,
        )
    )
    return make_finding(pod, one, means, (*_list_looks(pod, one), step), notes=notes)


def _make_nameless_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a reference to an object of a Namespace without the object's name."""
    c = one.complaint
    means = say(
        "a reference in Namespace {namespace} to {sort} has no name: “{reason}”",
        namespace=c.name.rstrip("/"),
        sort=c.resource,
        reason=c.reason,
    )
    step = mend(say("set the name in the object that holds the reference, or remove the reference"))
    return make_finding(pod, one, means, (*_list_looks(pod, one), step))


def _make_variable_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a variable's value that the program's own check rejects: no server was
    involved.
    """
    name = one.complaint.name
    means = say(
        "its own check rejects the value of {name}: “{reason}”", name=name, reason=one.complaint.reason
    )
    return make_finding(
        pod, one, means, (mend(say("set {name} to a value that meets this requirement", name=name)),)
    )


def _make_selector_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a dynamically provisioned claim with a label selector for volumes."""
    means = say(
        (
            "a PVC has spec.selector, but its StorageClass provisions volumes dynamically, which does not "
            "work with labels: “{reason}”"
        ),
        reason=one.complaint.reason,
    )
    look = Step(
        say("check which PVCs have a selector"),
        command=command(
            "kubectl get pvc -A -o "
            "'custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,CLASS:.spec.storageClassName,"
            "SELECTOR:.spec.selector'"
        ),
    )
    step = mend(
        say(
            "remove spec.selector from the PVC or from the template it is created from; or, to bind an "
            'existing volume, keep it and set storageClassName: ""'
        )
    )
    return make_finding(pod, one, means, (look, step))


def _list_looks(pod: Ref, one: ProgramMessage) -> tuple[Step, ...]:
    """Return the look at where the name is set, or at the objects of its kind."""
    if one.by == _ARGO and not _IN_REPOSITORY.search(one.complaint.resource):
        return (_RENDERING,)
    if known := _OF_SPEAKERS.get(one.by):
        return (known,)
    if one.of and one.of.name:
        says = say("check its spec and its whole status")
        return (
            Step(
                says,
                command=command(
                    "kubectl get {it} {space} -o yaml", it=given.of(one.of), space=given.space(one.of)
                ),
            ),
        )
    kind = next(
        (
            k
            for word in f"{one.complaint.resource} {one.complaint.reason}".lower().split()
            if (k := KIND_WORDS.get(word))
        ),
        None,
    )
    if kind is None:
        return () if one.by or one.complaint.error == _ABSENT or pod.kind != "Text" else (look_at_settings(),)
    return (
        Step(
            say("check which of them exist, and in which Namespace"),
            command=command("kubectl get {kind} -A", kind=given.kind_of(kind)),
        ),
    )


CAUSE = Cause(
    id="program.value-refused",
    title=say("a program does not find or accept a name or value that it is given"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
