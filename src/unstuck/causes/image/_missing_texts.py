"""Texts about missing credentials: how they are missing, and the fix."""

from __future__ import annotations

from difflib import get_close_matches

from unstuck.causes.image._cloud import look_at_nodes
from unstuck.causes.image._credentials import Linked
from unstuck.causes.image._name import Name, parse_image, serves
from unstuck.causes.image._pull import RETRIES, name_image, quote_innermost_error
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Needs
from unstuck.facts.aspects.pulls import PullLinks, PullSecrets, PullServers
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_ASKED = 4
_TYPE = "kubernetes.io/dockerconfigjson"
_NEW_PODS = say("new Pods reference it, and pull the image")
_ON_NODES = DoNot(
    say("log in on the nodes by hand as a workaround"),
    say("it applies only to those nodes, to every Pod on them, and only until they are replaced"),
)


def make_finding(pod: Ref, failure: Failure, given: Sign[Linked], snap: Facts) -> Finding:
    """Return the finding for a missing image. given: the result of `find_serving_secret` for the Pod's pull
    Secrets.
    """
    name = parse_image(name_image(failure))
    host = failure.host if failure.host and name_image(failure) == "?" else name.host
    broken = next((h for h in given.hits if h.why), None)
    if given.value is False and broken:
        return _make_finding_of_broken(pod, failure, broken, name, snap)
    if given.value is False:
        return _make_finding_without_secret(pod, failure, name, snap)
    return Finding(
        say("registry {host} requires credentials, and the runtime had none", host=host),
        culprit=Ref("Registry", pod.within, host),
        blocks=(pod,),
        notes=(quote_innermost_error(failure), *_note_serving(given)),
        help=(*look_at_nodes(host), _create(pod.within, host)),
        do_not=(_ON_NODES,),
        enrich=given.wants or (Want(Needs, pod),),
    )


def _note_serving(given: Sign[Linked]) -> tuple[Text, ...]:
    fit = next((h for h in given.hits if not h.why), None)
    if fit is None:
        return ()
    name = fit.secret.name
    return (
        say(
            (
                "the Pod's Secret {name} is for this registry: it was changed since the last attempt, or "
                "its entry has no password"
            ),
            name=name,
        ),
    )


def _find_account(pod: Ref, snap: Facts) -> Ref:
    named = next((n.object for f in snap.of(Needs, pod) for n in f.items if n.by == "service-account"), None)
    return named or Ref("ServiceAccount", pod.within, "default")


def _make_finding_without_secret(pod: Ref, failure: Failure, name: Name, snap: Facts) -> Finding:
    """Return the finding for a Pod that names no pull Secret."""
    account = _find_account(pod, snap)
    links = tuple(n for f in snap.of(PullLinks, account) for n in f.names)
    known = _list_namespace_secrets(pod, snap)
    fits = [
        s
        for s in known
        if any(serves(k, name) for f in snap.of(PullServers, Ref("Secret", pod.within, s)) for k in f.servers)
    ]
    notes = [quote_innermost_error(failure)]
    if links:
        notes.append(
            say(
                (
                    "ServiceAccount {account} references {links} now; this Pod was created before that, and "
                    "is not updated"
                ),
                account=account.name,
                links=links[0],
            )
        )
    if fits:
        notes.append(
            say("Secret {fits} is for this registry, but the Pod does not reference it", fits=fits[0])
        )
    link = fits[0] if fits else "NAME"
    steps = [] if fits or links else [*look_at_nodes(name.host), _create(pod.within, name.host, verify=None)]
    if not links:
        steps.append(_link(account, link))
    steps.append(
        Step(
            say("then recreate the Pod: its Secrets are fixed at creation"),
            where="source",
            verify=_NEW_PODS,
        )
    )
    return Finding(
        say(
            "registry {host} requires credentials for image {short}, and the Pod sets no pull Secret",
            host=name.host,
            short=name.short,
        ),
        culprit=account,
        blocks=(pod,),
        notes=tuple(notes),
        help=tuple(steps),
        do_not=(_ON_NODES,),
        enrich=_enrich(pod, account, known, snap),
    )


def _make_finding_of_broken(pod: Ref, failure: Failure, one: Linked, name: Name, snap: Facts) -> Finding:
    """Return the finding for a Pod that names a pull Secret which does not serve the image."""
    secret, namespace = one.secret.name or "?", pod.within or "?"
    notes = [quote_innermost_error(failure)]
    servers = ", ".join(one.servers) or "-"
    known = _list_namespace_secrets(pod, snap)
    near = get_close_matches(secret, sorted(set(known) - {secret}), 1, 0.6)
    step = _create(pod.within, name.host, secret)
    if one.why == "absent":
        says = say(
            "pull Secret {secret} of the Pod does not exist in Namespace {namespace}",
            secret=secret,
            namespace=namespace,
        )
        notes.append(say("Secrets of other Namespaces are not used"))
        if near:
            notes.append(say("did you mean {near}? That Secret exists", near=near[0]))
    elif one.why == "other-server":
        says = say(
            "pull Secret {secret} is for {servers}, not for {host}",
            secret=secret,
            servers=servers,
            host=name.host,
        )
        notes.append(
            say(
                "host, port and path of its entry must match the image's name; a path must be a prefix of "
                "the repository's"
            )
        )
        step = Step(
            say("add an entry for {host}, spelled as in the image", host=name.host),
            where="source",
            verify=RETRIES,
        )
    elif one.why == "wrong-type":
        kind = one.type_ or "?"
        says = say(
            "pull Secret {secret} has type {kind}, and the kubelet ignores such Secrets for pulling",
            secret=secret,
            kind=kind,
        )
        step = Step(
            say(
                "create another Secret of type {type} and reference that one: a Secret's type is immutable",
                type=_TYPE,
            ),
            where="source",
            verify=_NEW_PODS,
        )
    else:
        says = say(
            (
                "pull Secret {secret} has no list of servers (auths), so the kubelet gets no credentials "
                "from it"
            ),
            secret=secret,
        )
    return Finding(
        says,
        culprit=one.secret,
        blocks=(pod,),
        notes=tuple(notes),
        help=(step,),
        do_not=(_ON_NODES,),
        enrich=(Want(PullSecrets, Ref("SecretList", pod.within)),)
        if one.why == "absent" and not known
        else (),
    )


def _list_namespace_secrets(pod: Ref, snap: Facts) -> tuple[str, ...]:
    """Return the Namespace's pull Secrets, if they may be listed."""
    return tuple(n for f in snap.of(PullSecrets, Ref("SecretList", pod.within)) for n in f.names)


def _enrich(pod: Ref, account: Ref, known: tuple[str, ...], snap: Facts) -> tuple[Want, ...]:
    """Return the questions about linked Secrets: the ServiceAccount's own list, then the Namespace's pull
    Secrets and their registries.
    """
    first = [Want(PullLinks, account), Want(PullSecrets, Ref("SecretList", pod.within))]
    then = [Want(PullServers, Ref("Secret", pod.within, n)) for n in known[:_ASKED]]
    return tuple(w for w in (*first, *then) if not snap.answered(w))


def _create(namespace: str | None, host: str, name: str = "NAME", verify: Text | None = RETRIES) -> Step:
    return Step(
        say(
            (
                "create a Secret of type {type} with an entry for {host} in Namespace {namespace}, from a "
                "login's config file"
            ),
            type=_TYPE,
            host=host,
            namespace=namespace or "?",
        ),
        command=command(
            (
                "kubectl create secret generic {name} {space} --type=kubernetes.io/dockerconfigjson "
                "--from-file=.dockerconfigjson=config.json"
            ),
            space=given.namespace(namespace),
            name=given.bare("Secret", name),
        ),
        risk="reversible",
        undo=command(
            "kubectl delete {secret} {space}",
            secret=given.obj("secret", name),
            space=given.namespace(namespace),
        ),
        verify=verify,
    )


def _link(account: Ref, secret: str) -> Step:
    words = {
        "account": given.obj("serviceaccount", account.name or "default"),
        "space": given.namespace(account.within),
        "secret": given.bare("Secret", secret),
    }
    return Step(
        say(
            (
                "reference it: in the Pod's template (imagePullSecrets), or for every new Pod of "
                "ServiceAccount {account}"
            ),
            account=account.name,
        ),
        command=command(
            "kubectl patch {account} {space} -p "
            """'{"imagePullSecrets":[{"name":"{secret}"}]}'""",
            **words,
        ),
        risk="reversible",
        undo=command(
            "kubectl patch {account} {space} -p "
            """'{"imagePullSecrets":[{"$patch":"delete","name":"{secret}"}]}'""",
            **words,
        ),
        verify=_NEW_PODS,
    )
