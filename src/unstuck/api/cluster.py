"""A live cluster and the questions about it. A question imports the engine only after its first requests."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from unstuck.api.nodes import Nodes
from unstuck.api.reader import ClusterReader, Survey
from unstuck.facts.core import Ref

if TYPE_CHECKING:
    from unstuck.api.access_methods import AccessMethods
    from unstuck.api.collecting import CloserProgress, Collected
    from unstuck.api.investigation import Means
    from unstuck.api.many_objects import SeveralAnswers
    from unstuck.api.report import Report
    from unstuck.api.scanning import Scan, ScanProgress
    from unstuck.api.waiting import Pause
    from unstuck.collect.kube.transport.overrides import Overrides

Path = str | os.PathLike[str]
_ALLOWED = Nodes()


class Cluster:
    """One cluster, made by `connect`. Thread-safe; every question reads the cluster again.

    namespace: the default Namespace of questions.
    """

    def __init__(
        self,
        namespace: str,
        reader: Callable[[], ClusterReader],
        methods: Callable[[Nodes], AccessMethods | None] | None = None,
    ) -> None:
        """Call `connect` instead. reader: makes a reader for the current moment. methods: access to the
        cluster's nodes.
        """
        self.namespace = namespace
        self._reader, self._methods = reader, methods

    @property
    def source(self) -> str:
        """Return the cluster's name in Snapshots."""
        return self._reader().source

    def uid_of(self, ref: Ref) -> str | None:
        """Return the current uid of the named object; None if it is missing or unreadable."""
        from unstuck.facts.aspects.objects import Presence
        from unstuck.facts.core import Want

        told = self._reader().collect([Want(Presence, ref)])
        return next((f.about.uid for f in told if isinstance(f, Presence) and f.exists), None)

    def why(
        self,
        subject: str | Ref | None = None,
        *,
        namespace: str | None = None,
        everywhere: bool = False,
        nodes: Nodes | None = _ALLOWED,
        facts: Sequence[Path] = (),
        after: float | None = None,
    ) -> Report:
        """Answer why one object is stuck; None: about the worst problem in the Namespace, or with
        `everywhere` in the cluster.

        subject: `pod/web-0`, `pod web-0`, or a `Ref`. namespace: None: the connection's. nodes: the permitted
        access to nodes; None: no node's evidence at all. facts: paths of saved Snapshots with further facts.
        after: seconds after which a state counts as stuck; None: the usual times. Errors: UsageError for
        words that name no object, NotFound, AccessError, Unreachable, InputError.
        """
        from unstuck.api.investigation import ask_one
        from unstuck.api.report import report_of
        from unstuck.facts.codec import Saved

        means, ref = (
            self._make_means(nodes, facts),
            None if subject is None else self._ref(subject, namespace),
        )
        if ref is None:
            from unstuck.api.waiting import ask_worst

            snap, asked, diagnoses = ask_worst(
                self._reader(), None if everywhere else namespace or self.namespace, means, after
            )
            return report_of(Saved(snap, asked, after), diagnoses)
        snap, diagnosis = ask_one(self._reader(), ref, means, after)
        return report_of(Saved(snap, diagnosis.subject, after), [diagnosis])

    def why_all(
        self,
        subjects: Sequence[str | Ref],
        *,
        namespace: str | None = None,
        nodes: Nodes | None = _ALLOWED,
        facts: Sequence[Path] = (),
        after: float | None = None,
    ) -> Report:
        """Answer why each of several objects is stuck, in this order; `Report.failed` lists the failed
        questions.

        Other parameters as in `why`. Errors: those of `why`, if every question failed.
        """
        from unstuck.api.many_objects import ask_named

        refs = tuple(dict.fromkeys(self._ref(subject, namespace) for subject in subjects))
        return _make_report_of_several(
            ask_named(self._reader(), refs, self._make_means(nodes, facts), after), after
        )

    def why_selected(  # noqa: PLR0913 - each by its name, as kubectl has them
        self,
        kinds: Sequence[str] = ("pods",),
        *,
        labels: str = "",
        fields: str = "",
        namespace: str | None = None,
        everywhere: bool = False,
        nodes: Nodes | None = _ALLOWED,
        facts: Sequence[Path] = (),
        after: float | None = None,
    ) -> Report:
        """Answer about the unhealthy ones among the selected objects of these kinds, worst first, at most
        twenty.

        labels, fields: as kubectl's `-l` and `--field-selector`. everywhere: in all Namespaces.
        `Report.left_out` gives the number of matches. Other parameters as in `why`. Errors: those of `why`;
        NotFound if nothing matches.
        """
        from unstuck.api.many_objects import SelectedObjects, ask_selected

        chosen = SelectedObjects(
            tuple(kinds), labels, fields, None if everywhere else namespace or self.namespace
        )
        return _make_report_of_several(
            ask_selected(self._reader(), chosen, self._make_means(nodes, facts), after), after
        )

    def version(self) -> str:
        """Return the server's version, as `v1.34.1`. Errors: AccessError, Unreachable."""
        return self._reader().version()

    def find(self, name: str, *, namespace: str | None = None) -> Ref:
        """Return the object meant by a bare name: a Pod, else a workload, else a PVC, Service, Node,
        Namespace or PV.

        Errors: NotFound with the nearest names, UsageError with the candidates if several have the name.
        """
        from unstuck.api.subject import choose_one

        return choose_one(name, self._reader().find_named(name, namespace or self.namespace))

    def wait(
        self,
        subject: str | Ref,
        *,
        timeout: float = 600.0,
        namespace: str | None = None,
        nodes: Nodes | None = _ALLOWED,
        facts: Sequence[Path] = (),
        after: float | None = None,
        pause: Pause | None = None,
    ) -> Report:
        """Ask again until the object is fine or gone, or it is stuck by a known cause, or `timeout` seconds
        are over.

        pause: called between two looks with the last diagnosis and the seconds to wait; None: sleeps. Other
        parameters as in `why`.
        """
        from unstuck.api.report import report_of
        from unstuck.api.waiting import sleep, wait_for
        from unstuck.facts.codec import Saved

        ref = self._ref(subject, namespace)
        snap, diagnosis = wait_for(
            self._reader, ref, self._make_means(nodes, facts), after, timeout, pause or sleep
        )
        return report_of(Saved(snap, diagnosis.subject, after), [diagnosis])

    def scan(
        self,
        namespace: str | None = None,
        *,
        everywhere: bool = False,
        after: float | None = None,
        progress: ScanProgress | None = None,
    ) -> Report:
        """Return all unhealthy objects, grouped into incidents. Only the API server is asked, no node.

        namespace: None: the connection's. everywhere: all Namespaces. after: as in `why`. progress: informed
        of the progress of the lists. Errors: those of `why`.
        """
        return self.begin_scan(namespace, everywhere=everywhere, after=after).report(progress)

    def begin_scan(
        self, namespace: str | None = None, *, everywhere: bool = False, after: float | None = None
    ) -> Scan:
        """Send a scan's first requests and return at once; `Scan.report` waits for its end, `Scan.so_far`
        returns partial results.
        """
        survey = Survey(self._reader(), None if everywhere else namespace or self.namespace)
        # The engine is imported while the server responds.
        from unstuck.api.scanning import Scan

        return Scan(survey, after)

    def collect(  # noqa: PLR0913
        self,
        path: Path,
        subject: str | Ref | None = None,
        *,
        namespace: str | None = None,
        everywhere: bool = False,
        nodes: Nodes | None = _ALLOWED,
        facts: Sequence[Path] = (),
        after: float | None = None,
        redact: bool = False,
        overwrite: bool = False,
        progress: ScanProgress | None = None,
        looking: CloserProgress | None = None,
    ) -> Collected:
        """Write the input of `why` into one file, for the same answer elsewhere by `read`.

        path: a `.tar.gz`, readable only by its owner, that appears whole or not at all. subject: None: the
        Namespace, or with `everywhere` the cluster; its worst problems are examined closely. redact: names,
        addresses and unknown words are replaced. overwrite: replace an existing file of that name. progress:
        as in `scan`. looking: informed of each object under close examination. Other parameters as in `why`.
        Errors: InputError if the file cannot be written, else those of `why`.
        """
        from unstuck.api.collecting import CollectionOrder, collect_into
        from unstuck.api.node_access import close_on_error

        order = CollectionOrder(
            subject=None if subject is None else self._ref(subject, namespace),
            within=None if everywhere else namespace or self.namespace,
            means=self._make_means(nodes, facts),
            after=after,
            progress=progress,
            looking=looking,
        )
        guard = (nodes.guard if nodes else None) or close_on_error
        return collect_into(
            os.fspath(path), self._reader, order, redact=redact, overwrite=overwrite, guard=guard
        )

    def _ref(self, subject: str | Ref, namespace: str | None) -> Ref:
        if isinstance(subject, Ref):
            return subject
        from unstuck.api.subject import parse_object

        # An empty subject is refused like any other invalid word.
        return parse_object(subject.split() or [subject], namespace or self.namespace)

    def _make_means(self, nodes: Nodes | None, facts: Sequence[Path]) -> Means:
        from unstuck.api.investigation import Means

        return Means(
            nodes,
            tuple(os.fspath(p) for p in facts),
            self._methods(nodes) if nodes and self._methods else None,
        )


def _make_report_of_several(told: SeveralAnswers, after: float | None) -> Report:
    from unstuck.api.report import report_of
    from unstuck.facts.codec import Saved

    report = report_of(
        Saved(told.snapshot, None, after), told.diagnoses, notes=(*(e.said for e in told.failed), *told.more)
    )
    answer = replace(report.answer, left_out=report.notes)
    return replace(report, answer=answer, failed=tuple(e.said for e in told.failed))


def connect(
    context: str | None = None,
    *,
    kubeconfig: str | None = None,
    namespace: str | None = None,
    qps: float | None = None,
    dry_run: bool = False,
    ask_registry: bool = False,
    overrides: Overrides | None = None,
) -> Cluster:
    """Return a kubeconfig's cluster. No request is sent yet.

    context: None: the kubeconfig's current one. kubeconfig: a path; None: as for kubectl, the environment's
    KUBECONFIG, else `~/.kube/config`, else the service account of the surrounding Pod; HTTPS_PROXY and
    NO_PROXY are read from the environment as well. namespace: None: the context's. qps: at most this many
    requests a second. dry_run: whether a write with a decisive refusal is tried as a dry run, which needs the
    right to patch. ask_registry: whether an image's registry may be asked for its tags, without credentials.
    overrides: values in place of the kubeconfig's, like kubectl's flags: another server, user or identity.
    Errors: AccessError, NotFound (no such context), InputError (an unreadable kubeconfig), UsageError (groups
    without a user).
    """
    # With HTTP and TLS: `read` and saved facts need none.
    from unstuck.collect.kube.collector import KubeCollector
    from unstuck.collect.kube.transport.client import load_client
    from unstuck.collect.kube.transport.overrides import NOTHING

    client = load_client(context, kubeconfig, namespace, given=overrides or NOTHING)
    if qps:
        client.pace(qps)

    def methods(nodes: Nodes) -> AccessMethods:
        from unstuck.api.access_methods import ClusterMethods

        return ClusterMethods(client, nodes)

    return Cluster(
        client.namespace, lambda: KubeCollector(client, dry_run=dry_run, ask_registry=ask_registry), methods
    )
