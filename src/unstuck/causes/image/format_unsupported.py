"""The image's format is no longer supported by the runtime

## How it happens

The image was pushed years ago, or by an old tool, and its manifest is of Docker's first kind (schema 1).
containerd refuses it from 2.0 on (2.0 by default, 2.1 always), docker from 26 on. The image is unchanged: the
Nodes were upgraded.

## How to tell

The container waits with ErrImagePull or ImagePullBackOff: `Pulling Schema 1 images have been deprecated and
disabled by default since containerd v2.0`, `media type
"application/vnd.docker.distribution.manifest.v1+prettyjws" is no longer supported since containerd v2.1`, or
docker's `… manifest version 2, schema 1 support is disabled`.

## Known limits

Some registries make such a manifest themselves for a client that asks wrongly, or of an image that was pushed
before they learnt the newer kind; pushing it again is enough then. Older containerd has another message for
such images (`content digest … not found`), which is not read as this cause.

## References

- containerd 2.0 and 2.1 release notes (schema 1), client/pull.go; docker "Deprecated features": schema 1
- opencontainers/image-spec, distribution manifest-v2-1.md
"""

from __future__ import annotations

from unstuck.causes.image._name import parse_image
from unstuck.causes.image._pull import (
    READS,
    RETRIES,
    STAGES,
    make_image_ref,
    make_signs,
    name_image,
    pull,
    quote_innermost_error,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("format-unsupported",))
    return make_signs(
        "the runtime does not take an image of this format", one, lambda failure: _make_finding(pod, failure)
    )


def _make_finding(pod: Ref, failure: Failure) -> Finding:
    name = name_image(failure)
    known = name != "?"
    look = Step(
        say("list the tags: a newer one often has the newer format"),
        command=command(
            "skopeo list-tags docker://{repository}",
            repository=given.image(f"{parse_image(name).host}/{parse_image(name).path}"),
        ),
    )
    return Finding(
        say("image {name} is in an old format (schema 1) that the runtime no longer supports", name=name),
        culprit=make_image_ref(failure),
        blocks=(pod,),
        notes=(quote_innermost_error(failure),),
        help=(
            *((look,) if known else ()),
            Step(
                say(
                    "use a newer tag, or rebuild the image, or convert it with a tool that still reads the "
                    "old format (`skopeo copy --format v2s2`), and use that one"
                ),
                where="source",
                verify=RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("permanently re-enable the old format in the runtime"),
                say("the next release drops that switch, and such manifests do not prove their content"),
            ),
        ),
    )


CAUSE = Cause(
    id="image.format-unsupported",
    title=say("the image's format is no longer supported by the runtime"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
