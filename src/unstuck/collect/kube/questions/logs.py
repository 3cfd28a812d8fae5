"""The last lines of a container's log, without likely secrets."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import ApiRead, Session, make_refused, make_unanswered
from unstuck.collect.masking import mask
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.core import Fact, Want

LINES = 20
_LONGEST = 2000
# The kubelet's answer, with status 200, if the runtime has removed the container meanwhile
# (pkg/kubelet/kuberuntime/kuberuntime_container.go).
_LOST = "unable to retrieve container logs for "


def last_lines(session: Session, want: Want) -> list[Fact]:
    """Return the last lines of the previous run if there was one, else of this one. about:
    `Ref("Container", "NAMESPACE/POD", NAME)`.
    """
    about = want.about
    namespace, slash, pod = (about.within or "").partition("/")
    if about.kind != "Container" or not slash or not about.name:
        return [make_unanswered(want, "not-asked", "the container is not known")]
    path = f"{kind_named('Pod').path(namespace, pod)}/log"
    asked: dict[str, str | int] = {
        "container": about.name,
        "tailLines": LINES,
        "limitBytes": LINES * _LONGEST,
    }
    before = session.get(path, {**asked, "previous": "true"}, accept="*/*", retries=1)
    read = (
        session.get(path, asked, accept="*/*", retries=1)
        if before.reply.status == 400 or _is_lost(before)
        else before
    )
    if not read.reply.ok:
        return [make_refused(want, read)]
    if _is_lost(read):
        return [make_unanswered(want, "not-offered", read.reply.text.strip()[:200], read.where)]
    from unstuck.wording.program.read import (
        find_complaint,
    )  # the wording of some hundred programs, which a lost log does not need

    lines = tuple(mask(line[:_LONGEST]) for line in read.reply.text.split("\n") if line.strip())[-LINES:]
    src = read.src(lines[-1][:200] if lines else "the log is empty")
    return [
        LastLines(
            about=about,
            src=src,
            lines=lines,
            previous=read is before,
            complaint=find_complaint(lines),
            whole=False,
        )
    ]


def _is_lost(read: ApiRead) -> bool:
    return read.reply.ok and read.reply.text.startswith(_LOST)
