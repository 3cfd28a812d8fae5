"""The registry has no image of this name

## How it happens

The tag or the repository is mistyped; the tag was never pushed, or to another registry; a chart's default tag does not exist; the publisher
withdrew the tag or moved the repository; a short name like `web:1` is looked for in the runtime's default registry, not in the company's.

## How to tell

`not found`, `manifest unknown`, `manifest for x not found`, `name unknown` in the kubelet's words about its own pull, repeated, with the
container still waiting for the image: the registry was asked and answered. Names that look like it come from the Node's own list of images
and, where the registry may be asked (`--ask-registry`), from its list of tags.

## Known limits

`pull access denied, repository does not exist or may require authorization` does not tell whether the name is wrong or the credentials:
that stays open. containerd's `not found` does not tell a missing tag from a missing repository; the registry's list of tags does. A Node
tells only its 50 largest images.

## References

- opencontainers/distribution-spec spec.md (MANIFEST_UNKNOWN, NAME_UNKNOWN, listing tags); containerd core/remotes/docker/resolver.go;
  moby distribution/errors.go
"""

from __future__ import annotations

from difflib import get_close_matches

from unstuck.causes.image._name import Name, parsed
from unstuck.causes.image._pull import READS, RETRIES, STAGES, Pull, image, image_of, pull, said, signs
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.pulls import NodeImages, Tags
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import node_of
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord

_FOUND: ErrorWord = "not-found"
_NEAR = 3


def _rule(pod: Ref, snap: Facts) -> Signs:
    sure = pull(pod, snap, (_FOUND,))
    either = pull(pod, snap, (_FOUND, "not-found-or-denied"))
    # Who may not see it is told the same: then it stays open which of the two it is.
    one = sure if sure.mine.value or not either.mine.value else Pull(either.waiting, either.mine, _open(either), _open(either))
    return signs("the registry has no such image", one, lambda failure: _finding(pod, failure, snap))


def _open(either: Pull) -> Sign[Failure]:
    return Sign(None, either.mine.hits, either.mine.seen)


def _finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    name = parsed(image_of(failure))
    node = node_of(pod, snap)
    what = name.digest if name.digest and not name.tag else f"{name.short}:{name.tag}"
    held = tuple(parsed(n) for f in snap.of(NodeImages, node) for n in f.names) if node else ()
    told = snap.of(Tags, name.repository)
    there = next((f for f in told if f.whole), None)
    says = Text(f"registry {name.host} has no image {what}", f"镜像仓库 {name.host} 中没有镜像 {what}")
    if there and not there.exists:
        says = Text(
            f"registry {name.host} has no repository {name.path} that is public",
            f"镜像仓库 {name.host} 中没有公开的仓库 {name.path}",
        )
    notes = [said(failure), *_notes(name, held, there, node)]
    wants = [Want(Tags, name.repository), *([Want(NodeImages, node)] if node and not held else [])]
    return Finding(
        says,
        culprit=image(failure),
        blocks=(pod,),
        notes=tuple(notes),
        help=(
            Step(
                Text("list its tags in the registry", "查看仓库中该镜像有哪些标签"),
                command=command("skopeo list-tags docker://{repository}", repository=given.image(f"{name.host}/{name.path}")),
            ),
            Step(
                Text(
                    "use an existing image in the Pod's template, or push this one (and keep your own copy of images a publisher "
                    "may withdraw)",
                    "在 Pod 模板中改用存在的镜像，或推送该镜像（对发布者可能撤下的镜像保留自有副本）",
                ),
                where="source",
                verify=RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                Text("push another image under this name as a workaround", "用此名称推送其他镜像来绕过"),
                Text("every Pod that uses it would start an unintended program", "引用它的所有 Pod 都会启动非预期的程序"),
            ),
        ),
        enrich=tuple(w for w in wants if not snap.answered(w)),
    )


def _notes(name: Name, held: tuple[Name, ...], there: Tags | None, node: Ref | None) -> list[Text]:
    """Return notes on whether the image existed once, and what its name may have been meant to be."""
    notes = []
    if node and any(h.repository == name.repository and h.tag == name.tag for h in held):
        notes.append(
            Text(
                f"Node {node.name} still has an image with this exact name: it existed once and was withdrawn, or it was loaded by hand",
                f"节点 {node.name} 上仍有同名镜像：它曾经存在而后被撤下，或由人工加载",
            )
        )
    if there and there.tags:
        near = _near(name.tag, there.tags)
        listed = ", ".join(near or there.tags[-_NEAR:])
        word = Text("closest tags", "最接近的现有标签") if near else Text("existing tags", "现有标签")
        notes.append(Text(f"{word.en}: {listed}", f"{word.zh}：{listed}"))
    mine = [h.tag for h in held if h.repository == name.repository and h.tag and h.tag != name.tag]
    if mine and not (there and there.tags):
        listed = ", ".join(_near(name.tag, tuple(mine)) or mine[:_NEAR])
        notes.append(Text(f"the node has this image with tags {listed}", f"该节点上有此镜像的标签 {listed}"))
    paths = sorted({h.path for h in held if h.host == name.host and h.path != name.path})
    if not mine and (near := get_close_matches(name.path, paths, 1, 0.75)):
        notes.append(
            Text(f"did you mean {near[0]}? The node has that image of this registry", f"是否应为 {near[0]}？该节点上有该仓库的这个镜像")
        )
    return notes


def _near(tag: str, tags: tuple[str, ...]) -> list[str]:
    return get_close_matches(tag, sorted(set(tags) - {tag}), _NEAR, 0.6)


CAUSE = Cause(
    id="image.not-found",
    title=Text("the registry has no image with this name", "镜像仓库中没有该名称的镜像"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Placement, NodeImages, Tags},
    rule=_rule,
)
