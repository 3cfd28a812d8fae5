"""What is told of missing credentials: which of the ways in which they can be missing it is, and what to do about that one."""

from __future__ import annotations

from difflib import get_close_matches

from unstuck.causes.image._cloud import of_nodes
from unstuck.causes.image._credentials import Linked
from unstuck.causes.image._name import Name, parsed, serves
from unstuck.causes.image._pull import RETRIES, image_of, said
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Needs
from unstuck.facts.aspects.pulls import PullLinks, PullSecrets, PullServers
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

_ASKED = 4
_TYPE = "kubernetes.io/dockerconfigjson"
_NEW_PODS = Text("new Pods reference it, and pull the image", "新建的 Pod 会引用它并拉取镜像")
_ON_NODES = DoNot(
    Text("log in on the nodes by hand as a workaround", "在各节点上手工登录来绕过"),
    Text(
        "it applies only to those nodes, to every Pod on them, and only until they are replaced",
        "它只对这些节点有效，且对其上所有 Pod 有效，节点更换即失效",
    ),
)


def finding(pod: Ref, failure: Failure, given: Sign[Linked], snap: Facts) -> Finding:
    """Return the finding for a missing image. given: what `provided` said of the Pod's pull Secrets."""
    name = parsed(image_of(failure))
    host = failure.host if failure.host and image_of(failure) == "?" else name.host
    broken = next((h for h in given.hits if h.why), None)
    if given.value is False and broken:
        return _broken(pod, failure, broken, name, snap)
    if given.value is False:
        return _unnamed(pod, failure, name, snap)
    return Finding(
        Text(f"registry {host} requires credentials, and the runtime had none", f"镜像仓库 {host} 要求凭据，而运行时没有可提供的凭据"),
        culprit=Ref("Registry", pod.within, host),
        blocks=(pod,),
        notes=(said(failure), *_serving(given)),
        help=(*of_nodes(host), _create(pod.within, host)),
        do_not=(_ON_NODES,),
        enrich=given.wants or (Want(Needs, pod),),
    )


def _serving(given: Sign[Linked]) -> tuple[Text, ...]:
    fit = next((h for h in given.hits if not h.why), None)
    if fit is None:
        return ()
    name = fit.secret.name
    return (
        Text(
            f"the Pod's Secret {name} is for this registry: it was changed since the last attempt, or its entry has no password",
            f"Pod 引用的 Secret {name} 正是用于该仓库：它在最后一次尝试之后被改动，或其条目中没有密码",
        ),
    )


def _account(pod: Ref, snap: Facts) -> Ref:
    named = next((n.object for f in snap.of(Needs, pod) for n in f.items if n.by == "service-account"), None)
    return named or Ref("ServiceAccount", pod.within, "default")


def _unnamed(pod: Ref, failure: Failure, name: Name, snap: Facts) -> Finding:
    """Return the finding for a Pod that names no pull Secret."""
    account = _account(pod, snap)
    links = tuple(n for f in snap.of(PullLinks, account) for n in f.names)
    known = _known(pod, snap)
    fits = [s for s in known if any(serves(k, name) for f in snap.of(PullServers, Ref("Secret", pod.within, s)) for k in f.servers)]
    notes = [said(failure)]
    if links:
        notes.append(
            Text(
                f"ServiceAccount {account.name} references {links[0]} now; this Pod was created before that, and is not updated",
                f"ServiceAccount {account.name} 现在引用了 {links[0]}；该 Pod 创建在先，之后的改动不会生效",
            )
        )
    if fits:
        notes.append(
            Text(
                f"Secret {fits[0]} is for this registry, but the Pod does not reference it",
                f"Secret {fits[0]} 正是用于该仓库，但 Pod 未引用它",
            )
        )
    link = fits[0] if fits else "NAME"
    steps = [] if fits or links else [*of_nodes(name.host), _create(pod.within, name.host, verify=None)]
    if not links:
        steps.append(_link(account, link))
    steps.append(
        Step(
            Text("then recreate the Pod: its Secrets are fixed at creation", "随后重建 Pod：其引用在创建时即已确定"),
            where="source",
            verify=_NEW_PODS,
        )
    )
    return Finding(
        Text(
            f"registry {name.host} requires credentials for image {name.short}, and the Pod sets no pull Secret",
            f"镜像仓库 {name.host} 对镜像 {name.short} 要求凭据，而 Pod 未引用任何拉取 Secret",
        ),
        culprit=account,
        blocks=(pod,),
        notes=tuple(notes),
        help=tuple(steps),
        do_not=(_ON_NODES,),
        enrich=_enrich(pod, account, known, snap),
    )


def _broken(pod: Ref, failure: Failure, one: Linked, name: Name, snap: Facts) -> Finding:
    """Return the finding for a Pod that names a pull Secret which does not serve the image."""
    secret, namespace = one.secret.name or "?", pod.within or "?"
    notes = [said(failure)]
    servers = ", ".join(one.servers) or "-"
    known = _known(pod, snap)
    near = get_close_matches(secret, sorted(set(known) - {secret}), 1, 0.6)
    step = _create(pod.within, name.host, secret)
    if one.why == "absent":
        says = Text(
            f"pull Secret {secret} of the Pod does not exist in Namespace {namespace}",
            f"Pod 引用的拉取 Secret {secret} 在 Namespace {namespace} 中不存在",
        )
        notes.append(Text("Secrets of other Namespaces are not used", "其他 Namespace 的 Secret 不会被使用"))
        if near:
            notes.append(Text(f"did you mean {near[0]}? That Secret exists", f"是否应为 {near[0]}？该 Secret 存在"))
    elif one.why == "other-server":
        says = Text(f"pull Secret {secret} is for {servers}, not for {name.host}", f"拉取 Secret {secret} 用于 {servers}，而非 {name.host}")
        notes.append(
            Text(
                "host, port and path of its entry must match the image's name; a path must be a prefix of the repository's",
                "其条目的主机、端口与路径须与镜像名相符；路径须为仓库路径的开头",
            )
        )
        step = Step(
            Text(f"add an entry for {name.host}, spelled as in the image", f"为其添加与镜像写法一致的 {name.host} 条目"),
            where="source",
            verify=RETRIES,
        )
    elif one.why == "wrong-type":
        kind = one.type_ or "?"
        says = Text(
            f"pull Secret {secret} has type {kind}, and the kubelet ignores such Secrets for pulling",
            f"拉取 Secret {secret} 的类型为 {kind}，kubelet 不会从中取用凭据",
        )
        step = Step(
            Text(
                f"create another Secret of type {_TYPE} and reference that one: a Secret's type is immutable",
                f"另建一个类型为 {_TYPE} 的 Secret 并引用它：Secret 的类型不可更改",
            ),
            where="source",
            verify=_NEW_PODS,
        )
    else:
        says = Text(
            f"pull Secret {secret} has no list of servers (auths), so the kubelet takes no credentials from it",
            f"拉取 Secret {secret} 中没有服务器列表（auths），kubelet 不会从中取用凭据",
        )
    return Finding(
        says,
        culprit=one.secret,
        blocks=(pod,),
        notes=tuple(notes),
        help=(step,),
        do_not=(_ON_NODES,),
        enrich=(Want(PullSecrets, Ref("SecretList", pod.within)),) if one.why == "absent" and not known else (),
    )


def _known(pod: Ref, snap: Facts) -> tuple[str, ...]:
    """Return the Namespace's pull Secrets, as far as they may be listed."""
    return tuple(n for f in snap.of(PullSecrets, Ref("SecretList", pod.within)) for n in f.names)


def _enrich(pod: Ref, account: Ref, known: tuple[str, ...], snap: Facts) -> tuple[Want, ...]:
    """Return the questions about linked Secrets: the ServiceAccount's own list, then the Namespace's pull Secrets and what they are for."""
    first = [Want(PullLinks, account), Want(PullSecrets, Ref("SecretList", pod.within))]
    then = [Want(PullServers, Ref("Secret", pod.within, n)) for n in known[:_ASKED]]
    return tuple(w for w in (*first, *then) if not snap.answered(w))


def _create(namespace: str | None, host: str, name: str = "NAME", verify: Text | None = RETRIES) -> Step:
    return Step(
        Text(
            f"create a Secret of type {_TYPE} with an entry for {host} in Namespace {namespace or '?'}, from a login's config file",
            f"在 Namespace {namespace or '?'} 中用登录生成的文件创建类型为 {_TYPE} 的 Secret，其中含 {host} 的条目",
        ),
        command=command(
            "kubectl create secret generic {name} {space} --type=kubernetes.io/dockerconfigjson --from-file=.dockerconfigjson=config.json",
            space=given.namespace(namespace),
            name=given.bare("Secret", name),
        ),
        risk="reversible",
        undo=command("kubectl delete {secret} {space}", secret=given.obj("secret", name), space=given.namespace(namespace)),
        verify=verify,
    )


def _link(account: Ref, secret: str) -> Step:
    words = {
        "account": given.obj("serviceaccount", account.name or "default"),
        "space": given.namespace(account.within),
        "secret": given.bare("Secret", secret),
    }
    return Step(
        Text(
            f"reference it: in the Pod's template (imagePullSecrets), or for every new Pod of ServiceAccount {account.name}",
            f"关联它：写入 Pod 模板（imagePullSecrets），或对 ServiceAccount {account.name} 的所有新 Pod 生效",
        ),
        command=command("""kubectl patch {account} {space} -p '{"imagePullSecrets":[{"name":"{secret}"}]}'""", **words),
        risk="reversible",
        undo=command("""kubectl patch {account} {space} -p '{"imagePullSecrets":[{"$patch":"delete","name":"{secret}"}]}'""", **words),
        verify=_NEW_PODS,
    )
