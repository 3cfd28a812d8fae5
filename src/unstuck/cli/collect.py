"""`collect`: writes the input of `why` into one file, for an answer elsewhere."""

from __future__ import annotations

from unstuck.api.collecting import check_free
from unstuck.api.collection_summary import summarize
from unstuck.api.subject import parse_subject
from unstuck.cli import terminal
from unstuck.cli.connection import ClusterOptions, EvidenceOptions, connect_to, with_consent
from unstuck.cli.lang import Lang
from unstuck.cli.progress import progress
from unstuck.cli.scan import ALL, counts
from unstuck.facts.record import Record, record
from unstuck.render.words import in_lang


@record()
class CollectRequest(Record):
    """The question as typed. subject: none for a whole Namespace, or with `everywhere` the cluster. file: the
    path to write.

    redact: replace names and addresses. overwrite: replace an existing file of that name.
    """

    subject: tuple[str, ...]
    everywhere: bool
    file: str
    place: ClusterOptions
    sight: EvidenceOptions
    lang: Lang
    after: float | None = None
    redact: bool = False
    overwrite: bool = False


def collect(request: CollectRequest) -> int:
    """Write the file, print its contents, and return 0.

    Errors: `UnstuckError` if the question cannot be asked, InputError if the file cannot be written; no file
    is left behind then.
    """
    parse_subject(request.subject, None)
    check_free(request.file, overwrite=request.overwrite)
    cluster, lang = connect_to(request.place, request.sight), request.lang
    subject = parse_subject(request.subject, cluster.namespace)
    whom = subject or (in_lang(ALL, lang) if request.everywhere else cluster.namespace)
    with progress(f"{cluster.source}: {whom}") as spinner:
        collected = cluster.collect(
            request.file,
            subject,
            everywhere=request.everywhere,
            nodes=with_consent(request.sight.nodes, lang, spinner, ask=terminal.can_ask()),
            facts=request.sight.facts,
            after=request.after,
            redact=request.redact,
            overwrite=request.overwrite,
            progress=lambda pods, ill: spinner.say(in_lang(counts(pods, ill), lang)),
            looking=lambda number, of, ref: spinner.say(f"{number}/{of} {ref}"),
        )
    terminal.emit("".join(f"{in_lang(line, lang)}\n" for line in summarize(request.file, collected)))
    return 0
