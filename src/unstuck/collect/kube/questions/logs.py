"""The last lines of a container's log, and the lines that report trouble, without likely secrets."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import ApiRead, Session, make_refused, make_unanswered
from unstuck.collect.masking import mask
from unstuck.collect.objects import doc
from unstuck.facts.aspects.pod import ContainerKind, LastLines, ToldPort, TroubleLine, TroubleLines
from unstuck.facts.core import Fact, Want
from unstuck.facts.derive.told_ports import find_told_ports

LINES = 20
_LONGEST = 2000
# The kubelet's answer, with status 200, if the runtime has removed the container meanwhile
# (pkg/kubelet/kuberuntime/kuberuntime_container.go).
_LOST = "unable to retrieve container logs for "
# The containers of a Pod whose logs are read for trouble, and the lines and bytes of each end.
_CONTAINERS = 4
_TAIL, _START = 300, 32_768


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


def trouble_lines(session: Session, want: Want) -> list[Fact]:
    """Return the lines that report trouble in the logs of a Pod's containers, from their beginning and end.

    Only the running containers, and the init containers that have ended, have such a log.
    """
    about = want.about
    if not about.name or not about.within:
        return [make_unanswered(want, "not-asked", "its name or its Namespace is not known")]
    read = session.object(kind_named("Pod"), about)
    if not read.reply.ok:
        return [make_refused(want, read)]
    path = f"{kind_named('Pod').path(about.within, about.name)}/log"
    named = _list_containers(read.reply.doc)[:_CONTAINERS]
    logs = run_each(lambda one: _read_both_ends(session, path, one[0]), named)
    if named and not any(logs):
        return [make_unanswered(want, "not-offered", "none of its containers has a log")]
    items = tuple(
        line
        for (name, kind), lines in zip(named, logs, strict=True)
        for line in _list_trouble(name, kind, lines)
    )
    ports = tuple(
        ToldPort(name, port)
        for (name, _), lines in zip(named, logs, strict=True)
        for port in find_told_ports(lines)
    )
    quote = items[-1].line[:200] if items else "no line of its logs reports trouble"
    if ports:
        quote += f"; it says that it listens on port {', '.join(str(p.port) for p in ports)}"
    return [TroubleLines(about=about, src=read.src(quote), items=items, ports=ports, whole=False)]


def _list_trouble(name: str, kind: ContainerKind, lines: list[str]) -> list[TroubleLine]:
    """Return the lines of a container's log that report trouble, each with the setting that it is about."""
    from unstuck.wording.program.read import read_complaint  # as above
    from unstuck.wording.program.trouble import choose_setting, find_trouble_lines, list_settings

    found = find_trouble_lines(lines)
    settings = list_settings(lines) if found else ()
    return [
        TroubleLine(name, kind, line, read_complaint(line), choose_setting(line, settings)) for line in found
    ]


def _list_containers(pod: doc.Doc) -> list[tuple[str, ContainerKind]]:
    """Return a Pod's containers with their kinds, the main ones first."""
    always = {
        doc.text(row, "name")
        for row in doc.rows(pod, "spec", "initContainers")
        if doc.text(row, "restartPolicy") == "Always"
    }
    main: list[tuple[str, ContainerKind]] = [
        (doc.text(row, "name"), "main") for row in doc.rows(pod, "spec", "containers")
    ]
    names = (doc.text(row, "name") for row in doc.rows(pod, "spec", "initContainers"))
    return [*main, *((name, "sidecar" if name in always else "init") for name in names)]


def _read_both_ends(session: Session, path: str, container: str) -> list[str]:
    """Return a log's last lines, below its first ones if it has more; none if it cannot be read."""
    asked: dict[str, str | int] = {"container": container}
    end = session.get(path, {**asked, "tailLines": _TAIL, "limitBytes": 4 * _START}, accept="*/*", retries=1)
    if not end.reply.ok or _is_lost(end):
        return []
    lines = end.reply.text.split("\n")
    if len(lines) >= _TAIL:
        start = session.get(path, {**asked, "limitBytes": _START}, accept="*/*", retries=1)
        # The last line of a part may be cut.
        lines = [*(start.reply.text.split("\n")[:-1] if start.reply.ok else ()), *lines]
    return [mask(line[:_LONGEST]) for line in lines]
