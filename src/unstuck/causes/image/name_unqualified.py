"""The image name has no registry, and the runtime does not pick one

## How it happens

`nginx` or `shop/web:1` is a short name: it does not name the registry. containerd and docker take docker.io
for it; CRI-O asks `unqualified-search-registries` of the Node's /etc/containers/registries.conf. Where that
lists several registries and short names are enforced to be unambiguous (CRI-O's default from 1.34 on,
OpenShift 4.21), or where it lists none and no alias fits, the runtime refuses the name. So Pods that ran for
years fail after an upgrade, or after a move from another runtime.

## How to tell

The container waits with ImageInspectError, ErrImagePull or ImagePullBackOff, and the kubelet quotes the
runtime: `short name mode is enforcing, but image name x returns ambiguous list`, `short-name "x" did not
resolve to an alias and no unqualified-search registries are defined`, or, before 1.18, `no registries
configured while trying to pull an unqualified image`.

## Known limits

The intended registry cannot be seen: docker.io is only the default of other runtimes. The Node's
configuration is not read.

## References

- cri-o internal/storage/image.go, pull 9401; containers/image pkg/shortnames/shortnames.go;
  containers-registries.conf(5)
"""

from __future__ import annotations

from unstuck.causes.image._name import parse_image
from unstuck.causes.image._pull import READS, RETRIES, STAGES, make_signs, name_image, place_on_its_node, pull
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("name-unqualified",))
    return make_signs(
        "the image's name has no registry", one, lambda failure: _make_finding(pod, failure, snap)
    )


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    spec = find_container_spec(pod, failure.container, snap)
    name = failure.key or (spec.image if spec else name_image(failure))
    full = parse_image(name)
    return Finding(
        say('image name "{name}" has no registry, and {why}', name=name, why=_explain(failure)),
        culprit=Ref("Image", None, name),
        blocks=(pod,),
        notes=(
            say(
                "if you meant Docker Hub: docker.io/{path}{tag}",
                path=full.path,
                tag=f":{full.tag}" if full.tag else "",
            ),
        )
        if name != "?"
        else (),
        help=(
            Step(
                say("put the registry into the image name in the Pod's template, or in the chart's value"),
                where="source",
                verify=say("the new Pods pull their image"),
            ),
            Step(
                say(
                    "or, for all Pods, list exactly one registry under unqualified-search-registries in the "
                    "nodes' /etc/containers/registries.conf, or an alias for this name, and reload CRI-O; "
                    "running containers are not affected"
                ),
                where=place_on_its_node(pod, snap),
                risk="reversible",
                verify=RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("disable the check while several registries are listed"),
                say("then anyone who takes that name in one of them decides which program runs"),
            ),
        ),
    )


def _explain(failure: Failure) -> Text:
    if "ambiguous list" in failure.message:
        return say("the runtime would have to choose between several")
    if "cannot prompt" in failure.message:
        return say("the runtime must not choose between its search registries")
    return say("the runtime has no registry configured for such names")


CAUSE = Cause(
    id="image.name-unqualified",
    title=say("the image name has no registry, and the runtime does not pick one"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Containers, Placement},
    rule=_rule,
)
