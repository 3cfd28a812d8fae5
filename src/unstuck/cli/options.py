"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from unstuck.cli import complete
from unstuck.cli.bilingual import option, together, under
from unstuck.cli.lang import Duration, language
from unstuck.cli.terminal import choose_colour, choose_pager
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.api import Overrides
    from unstuck.cli.connecting import ClusterOptions, EvidenceOptions

C = TypeVar("C", bound=Callable[..., Any])


CLUSTER = Text("Cluster, as for kubectl", "集群（同 kubectl）")
SIGHT = Text("What else may be looked at", "还可以查看什么")
PIPELINES = Text("For pipelines", "用于流水线")
ANSWERS = ("text", "wide", "json", "yaml", "markdown", "html", "name", "junit", "github", "proof")
_ANSWERS = Text(
    "text (default), wide, json, yaml, markdown or html (a page); for pipelines name, junit or github; proof for `verify`.",
    "text（默认）、wide、json、yaml、markdown 或 html（网页）；用于流水线：name、junit 或 github；proof 供 `verify` 使用。",
)


def shape(f: C) -> C:
    """Add the options for how something is printed: -o and --lang."""
    return _shaped(("text", "json", "yaml"), Text("text (default), json or yaml.", "text（默认）、json 或 yaml。"))(f)


def answer(f: C) -> C:
    """Add the options for how an answer is printed: -o with all of its formats, and --lang."""
    return _shaped(ANSWERS, _ANSWERS)(f)


def _shaped(formats: Sequence[str], help: Text) -> Callable[[C], C]:
    """Return -o with these formats, and --lang."""

    def options(f: C) -> C:
        return option("-o", "--output", type=click.Choice(list(formats)), default="text", help=help)(lang(printing(f)))

    return options


def printing(f: C) -> C:
    """Add --color and --no-pager, which are told to the terminal at once."""
    f = option(
        "--no-pager",
        is_flag=True,
        expose_value=False,
        callback=lambda _ctx, _param, off: choose_pager(wanted=not off),
        help=Text(
            "No pager for what is longer than the screen ($UNSTUCK_PAGER, $PAGER, less).",
            "内容超出屏幕时也不使用分页器（$UNSTUCK_PAGER、$PAGER、less）。",
        ),
    )(f)
    return option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        expose_value=False,
        callback=lambda _ctx, _param, when: choose_colour(when),
        help=Text(
            "Colours: auto (default; on a terminal), always or never; NO_COLOR and CLICOLOR_FORCE are heeded.",
            "颜色：auto（默认，仅在终端上）、always 或 never；遵循 NO_COLOR 与 CLICOLOR_FORCE。",
        ),
    )(f)


def lang(f: C) -> C:
    """Return --lang."""
    return option(
        "--lang",
        type=click.Choice(["en", "zh"]),
        default=lambda: language(os.environ),
        help=Text("Language; else as LC_ALL, LC_MESSAGES, LANG say.", "语言；否则由 LC_ALL、LC_MESSAGES、LANG 决定。"),
    )(f)


def explained(f: C) -> C:
    """Return --explain instead of the answer."""
    return option(
        "--explain",
        is_flag=True,
        help=Text("Every sign of every cause, its facts and the judgement.", "每个原因的每个迹象、其事实与判断。"),
    )(f)


def everything(f: C) -> C:
    """Return --all: what an answer else only counts."""
    return option(
        "--all",
        "everything",
        is_flag=True,
        help=Text("All that is known: every lead, all of the evidence.", "全部内容：所有可能的原因与全部依据。"),
    )(f)


_PLACE = (
    option(
        "-n",
        "--namespace",
        metavar="NS",
        shell_complete=complete.namespaces,
        help=Text("The Namespace; else the context's.", "Namespace；否则为上下文中的 Namespace。"),
    ),
    option(
        "--context", metavar="NAME", shell_complete=complete.contexts, help=Text("A context of the kubeconfig.", "kubeconfig 中的上下文。")
    ),
    option(
        "--kubeconfig",
        metavar="FILE",
        is_eager=True,
        help=Text(
            "As for kubectl; else KUBECONFIG, ~/.kube/config, or the Pod's own account.",
            "与 kubectl 相同；否则为 KUBECONFIG、~/.kube/config，或 Pod 自身的服务账号。",
        ),
    ),
    option(
        "--cluster",
        metavar="NAME",
        shell_complete=complete.clusters,
        help=Text("As for kubectl: another cluster of the kubeconfig than the context's.", "同 kubectl：使用 kubeconfig 中的另一个集群。"),
    ),
    option(
        "--user",
        metavar="NAME",
        shell_complete=complete.users,
        help=Text("As for kubectl: another user of the kubeconfig than the context's.", "同 kubectl：使用 kubeconfig 中的另一个用户。"),
    ),
    option("-s", "--server", metavar="URL", help=Text("As for kubectl: the API server's address.", "同 kubectl：API server 的地址。")),
    option(
        "--as",
        "as_user",
        metavar="USER",
        help=Text("As for kubectl: ask as this user, to see what it sees.", "同 kubectl：以此用户的身份询问，看它能看到什么。"),
    ),
    option(
        "--as-group",
        "as_groups",
        multiple=True,
        metavar="GROUP",
        help=Text("As for kubectl: with --as, in this group; repeatable.", "同 kubectl：与 --as 合用，属于此组；可重复。"),
    ),
    option(
        "--token",
        metavar="TOKEN",
        help=Text("A bearer token, instead of all credentials of the kubeconfig.", "bearer 令牌，取代 kubeconfig 中的全部凭据。"),
    ),
    option(
        "--insecure-skip-tls-verify",
        "insecure",
        is_flag=True,
        help=Text("Do not check the server's certificate: insecure.", "不校验服务器证书：不安全。"),
    ),
    option(
        "--request-timeout",
        type=Duration(),
        metavar="D",
        help=Text("At most D for one request (15s); 0: no limit.", "单个请求至多 D（15s）；0 表示不限。"),
    ),
    option(
        "--compress",
        type=click.Choice(["auto", "always", "never"]),
        help=Text(
            "Answers packed (gzip): auto (default; not from a private address or with disable-compression), always or never.",
            "应答以 gzip 压缩传输：auto（默认；服务器为私有地址或设置了 disable-compression 时不压缩）、always 或 never。",
        ),
    ),
)


def cluster(f: C) -> C:
    """Add kubectl's options that choose a cluster, handed over as one `place`."""
    first, *others = _PLACE
    placed = (first, *under(CLUSTER, *others))
    return together(placed, lambda given: _as_one("place", _place_of, given))(f)


def _as_one(name: str, make: Callable[..., object], given: dict[str, Any]) -> dict[str, Any]:
    """Put what `make` makes of its parameters into their place, under this name."""
    taken = {word: given.pop(word) for word in make.__annotations__ if word != "return"}
    return {**given, name: make(**taken)}


def overrides_of(given: Mapping[str, Any]) -> Overrides | None:
    """Return what is said instead of the kubeconfig, None where nothing is. given: the options, by their names."""
    options = ("cluster", "user", "server", "as_user", "as_groups", "token", "insecure", "request_timeout", "compress")
    said = {name: given.get(name) for name in options}
    if not any(said.values()) and said["request_timeout"] is None:
        return None
    from unstuck.api import Overrides

    return Overrides(
        server=said["server"],
        cluster=said["cluster"],
        user=said["user"],
        token=said["token"],
        insecure=bool(said["insecure"]),
        as_user=said["as_user"],
        as_groups=tuple(said["as_groups"] or ()),
        seconds=said["request_timeout"],
        compress=said["compress"] or "auto",
    )


def _place_of(
    *,
    namespace: str | None,
    context: str | None,
    kubeconfig: str | None,
    cluster: str | None,
    user: str | None,
    server: str | None,
    as_user: str | None,
    as_groups: tuple[str, ...],
    token: str | None,
    insecure: bool,
    request_timeout: float | None,
    compress: str | None,
) -> ClusterOptions:
    from unstuck.cli.connecting import ClusterOptions

    overrides = overrides_of(locals())
    return ClusterOptions(context, kubeconfig, namespace, overrides)


def after(f: C) -> C:
    """Add --after: one threshold for all states."""
    return option(
        "--after",
        type=Duration(),
        metavar="D",
        help=Text("Call it stuck after D (30s, 5m) instead of the usual times.", "超过 D（30s、5m）即视为卡住，而不用通常的时限。"),
    )(f)


def settings(f: C) -> C:
    """Return --config and --no-ignore, handed over as `settings`. The file's time limit and language hold where the command line has
    none.
    """
    return together(_SETTINGS, lambda given: _with_settings(given.pop("config"), given.pop("no_ignore"), given))(f)


_SETTINGS = (
    option(
        "--config",
        metavar="FILE",
        type=click.Path(),
        help=Text(
            "Known troubles and defaults; else $UNSTUCK_CONFIG, else unstuck/unstuck.yaml in ~/.config.",
            "已知问题与默认值；否则为 $UNSTUCK_CONFIG，再否则为 ~/.config 下的 unstuck/unstuck.yaml。",
        ),
    ),
    option("--no-ignore", is_flag=True, help=Text("Show known troubles, too.", "已知问题也一并显示。")),
)


def _with_settings(config: str | None, no_ignore: bool, given: dict[str, Any]) -> dict[str, Any]:
    from unstuck.api.settings_file import settings_path

    path = settings_path(config, os.environ)
    if path is None:
        return {**given, "settings": None}
    from unstuck.api.settings_file import load_settings

    loaded = load_settings(path)
    by_default = click.get_current_context().get_parameter_source("lang") is ParameterSource.DEFAULT
    if loaded.language and by_default:
        given = {**given, "lang": loaded.language}
    if given.get("after") is None:
        given = {**given, "after": loaded.after}
    return {**given, "settings": loaded.all_shown() if no_ignore else loaded}


def saved(f: C) -> C:
    """Add --save: the Snapshot of the answer."""
    return option(
        "--save",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        callback=_saving,
        help=Text("Save what was seen (.gz: compressed), for replay.", "保存所见内容（.gz 为压缩），供 replay 使用。"),
    )(f)


def _saving(_ctx: click.Context, _param: click.Parameter, path: str | None) -> str | None:
    """Check the path before anybody waits for a cluster. Errors: InputError where anything but a regular file stands there."""
    if path is not None:
        from unstuck.collect.output_file import check_target

        check_target(path, replace=True)
    return path


_SIGHT = (
    option(
        "--here",
        is_flag=True,
        help=Text("Look at this machine too: it is the node that the object is on.", "同时查看本机：它就是该对象所在的节点。"),
    ),
    option(
        "--touch",
        is_flag=True,
        help=Text(
            "With --here: touch the Pod's network and FUSE mounts; a process may wait there until they answer.",
            "与 --here 合用：触碰该 Pod 的网络挂载与 FUSE 挂载；可能会有一个进程在那里一直等到它们应答。",
        ),
    ),
    option("--no-node", is_flag=True, help=Text("Answer without any node's evidence.", "不使用任何节点的证据作答。")),
    option(
        "--root",
        default="/",
        metavar="DIR",
        type=click.Path(),
        help=Text("With --here: where the node's root is mounted (/).", "与 --here 合用：节点的根目录挂载在何处（/）。"),
    ),
    option(
        "--node-timeout",
        type=Duration(),
        metavar="D",
        help=Text(
            "With --here: at most D for each look at it (4.5s); a busy node may need 30s.",
            "与 --here 合用：每次查看至多 D（4.5s）；繁忙的节点可能需要 30s。",
        ),
    ),
    option(
        "--ssh",
        metavar="HOST",
        help=Text(
            "Look at the node as you reach it by ssh; {node} in HOST is the Node's name.",
            "通过您的 ssh 查看节点；HOST 中的 {node} 代表节点名称。",
        ),
    ),
    option(
        "--probe",
        is_flag=True,
        help=Text(
            "Make a short-lived Pod on the node to look at it, if nothing else can; deleted afterwards.",
            "若别无他法，在节点上创建一个短时 Pod 来查看；用后即删。",
        ),
    ),
    option(
        "--probe-image",
        metavar="IMAGE",
        help=Text(
            "The Pod's image: that of the agent (else the installed agent's).", "该 Pod 的镜像：代理的镜像（否则用已安装的代理的镜像）。"
        ),
    ),
    option(
        "--probe-namespace",
        metavar="NS",
        help=Text(
            "The Pod's Namespace (unstuck-system; must be named where that is not there).",
            "该 Pod 的 Namespace（默认 unstuck-system；它不存在时必须指定）。",
        ),
    ),
    option(
        "--try-write",
        is_flag=True,
        help=Text(
            "Where a refused write would decide, try it as the server's dry run (needs the right to patch).",
            "若某次写入被拒绝与否即可定论，则以试运行（dry run）方式尝试（需要 patch 权限）。",
        ),
    ),
    # Its name of before: kubectl's --dry-run does less than without it, ours did more.
    option("--dry-run", is_flag=True, hidden=True, help=Text("The former name of --try-write.", "--try-write 的旧名。")),
    option(
        "--ask-registry",
        is_flag=True,
        help=Text(
            "Ask an image's registry which tags it has: from this machine, without credentials.",
            "向镜像仓库询问其有哪些标签：从本机发出，不带凭据。",
        ),
    ),
    option(
        "--facts", multiple=True, metavar="FILE", type=click.Path(), help=Text("Also use these saved facts.", "同时使用这些已保存的事实。")
    ),
)


def sight(f: C) -> C:
    """Return what else may be looked at, handed over as one `sight`. Errors: Misuse for what excludes each other."""
    return together(under(SIGHT, *_SIGHT), lambda given: _as_one("sight", _sight_of, given))(f)


def _sight_of(
    *,
    here: bool,
    touch: bool,
    no_node: bool,
    root: str,
    node_timeout: float | None,
    ssh: str | None,
    probe: bool,
    probe_image: str | None,
    probe_namespace: str | None,
    try_write: bool,
    dry_run: bool,
    ask_registry: bool,
    facts: tuple[str, ...],
) -> EvidenceOptions:
    from unstuck.api.nodes import Nodes
    from unstuck.cli.connecting import EvidenceOptions
    from unstuck.cli.misuse import Misuse
    from unstuck.render.words import in_lang

    for given, word in ((here, "--here"), (ssh, "--ssh"), (probe, "--probe")):
        if given and no_node:
            raise Misuse(Text(f"{word} and --no-node exclude each other", f"{word} 与 --no-node 互相排斥"))
    if touch and not here:
        raise Misuse(Text("--touch needs --here: only mounts of this machine are touched", "--touch 需要 --here：只会触碰本机的挂载"))
    if node_timeout is not None and not here:
        raise Misuse(Text("--node-timeout needs --here", "--node-timeout 需要 --here"))
    nodes = Nodes(
        here=here,
        root=root,
        ssh=ssh,
        probe=probe,
        probe_image=probe_image,
        probe_namespace=probe_namespace,
        touch=touch,
        seconds=node_timeout,
    )
    if dry_run:
        renamed = Text("--dry-run is now called --try-write", "--dry-run 现在叫作 --try-write")
        click.echo(in_lang(renamed, click.get_current_context().find_root().obj), err=True)
    return EvidenceOptions(None if no_node else nodes, facts, try_write or dry_run, ask_registry)
