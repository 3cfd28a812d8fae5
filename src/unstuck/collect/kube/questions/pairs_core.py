"""Counterparts of Kubernetes' own objects, and of those that name their parts.

Sources (1.34): networking/v1 NetworkPolicyPort, discovery/v1 EndpointPort (its name is the Service port's),
autoscaling/v2 ContainerResourceMetricSource, rbac/v1 PolicyRule; external-snapshotter v1, cert-manager v1,
autoscaler v1 (VerticalPodAutoscaler), argo-cd v1alpha1 (AppProject).
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.kube.questions.pairs_tools import (
    labels_of,
    list_all,
    list_container_ports,
    name_of,
    read_one,
    write_labels,
)
from unstuck.collect.kube.questions.policies import list_directions
from unstuck.collect.kube.questions.resources import kind_of_ref, resources
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import ref_kind
from unstuck.collect.objects.placing.selectors import read_selector
from unstuck.collect.objects.project_references import CERTIFICATES
from unstuck.collect.objects.references import SERVICE_NAME
from unstuck.collect.objects.targets import SNAPSHOTS, walk
from unstuck.facts.aspects.counterparts import Counterpart
from unstuck.facts.core import Ref
from unstuck.facts.derive.requirements import holds

CERTIFICATE, PROJECT = f"Certificate.{CERTIFICATES}", "AppProject.argoproj.io"
_SNAPSHOT_CLASS = f"VolumeSnapshotClass.{SNAPSHOTS}"
_SERVED = "APIResource"
_CANARY = "nginx.ingress.kubernetes.io/canary"
_POLICY_PORTS = ("spec.ingress[].ports[]", "spec.egress[].ports[]")
_MOST, _SHOWN = 12, 4


def read_policy_ports(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield each port of a policy's rules with the ports of the Pods that receive the traffic.

    A number counts only if it is a Service's port that leads to another one: a Pod may listen on a port that
    it does not declare.
    """
    if not any(True for path in _POLICY_PORTS for _ in walk(obj, path)):
        return
    pods, services = list_all(session, "Pod", about.within), list_all(session, "Service", about.within)
    if pods is None or services is None:
        return
    directions = list_directions(obj)
    asked = [
        (at, port, _select_pods(obj, "podSelector", pods))
        for at, rule in walk(obj, "spec.ingress[]")
        if "Ingress" in directions
        for at, port in walk(rule, "ports[]", at)
    ] + [
        (at, port, [p for peer in doc.rows(rule, "to") for p in _select_pods(peer, "podSelector", pods)])
        for at, rule in walk(obj, "spec.egress[]")
        if "Egress" in directions and all(_is_own_space(peer) for peer in doc.rows(rule, "to"))
        for at, port in walk(rule, "ports[]", at)
    ]
    for at, port, to in asked[:_MOST]:
        number = doc.scalar(port, "port")
        if not to or not number or doc.whole_number(port, "endPort"):
            continue
        declared = [p for pod in to for p in list_container_ports(pod)]
        if number.isdecimal():
            yield from _compare_number(about, f"{at}.port", number, to, declared, services)
        elif declared:
            names = dict.fromkeys(name for _, name in declared if name)
            refs = tuple(name_of(p, "Pod") for p in to[:_SHOWN])
            yield Counterpart(
                "policy-port-name",
                about,
                f"{at}.port",
                number,
                "Pod",
                refs,
                "containers[].ports[].name",
                (*names,),
            )


def _is_own_space(peer: doc.Doc) -> bool:
    return "namespaceSelector" not in peer and "ipBlock" not in peer


def _select_pods(spec: doc.Doc, field: str, pods: tuple[doc.Doc, ...]) -> list[doc.Doc]:
    by = read_selector(doc.section(spec, "spec") if "spec" in spec else spec, field)
    asked = by.requirements if by else ()
    return [p for p in pods if all(holds(r, labels_of(p)) for r in asked)]


def _compare_number(
    about: Ref,
    field: str,
    number: str,
    to: list[doc.Doc],
    declared: list[tuple[str, str]],
    services: tuple[doc.Doc, ...],
) -> Iterator[Counterpart]:
    behind = [s for s in services if any(_is_selected(s, p) for p in to)]
    ports = [(s, row) for s in behind for row in doc.rows(s, "spec", "ports")]
    named = {name: no for no, name in declared if name}
    targets = {t: named.get(t, t) for _, row in ports if (t := _target(row))}
    meant = [(s, row) for s, row in ports if doc.scalar(row, "port") == number]
    if not meant:
        return
    reached = {no for no, _ in declared} | set(targets.values())
    there = {number} if number in reached else {targets[_target(row)] for _, row in meant}
    refs = tuple(dict.fromkeys(name_of(s, "Service") for s, _ in meant))
    yield Counterpart(
        "policy-service-port",
        about,
        field,
        number,
        "Service",
        refs,
        "spec.ports[].targetPort",
        (*sorted(there),),
    )


def _is_selected(service: doc.Doc, pod: doc.Doc) -> bool:
    chosen, labels = doc.pairs(service, "spec", "selector"), labels_of(pod)
    return bool(chosen) and all(labels.get(k) == v for k, v in chosen)


def _target(port: doc.Doc) -> str:
    return doc.scalar(port, "targetPort") or doc.scalar(port, "port")


def read_slice_ports(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the port names of EndpointSlices that were written by hand with those of their Service. about:
    either of them.
    """
    name = about.name if about.kind == "Service" else labels_of(obj).get(SERVICE_NAME)
    to = Ref("Service", about.within, name)
    service = obj if about.kind == "Service" else read_one(session, to)
    if service is None or doc.section(service, "spec", "selector") or not doc.rows(service, "spec", "ports"):
        return
    slices = (
        list_all(session, "EndpointSlice", about.within, f"{SERVICE_NAME}={name}")
        if about.kind == "Service"
        else (obj,)
    )
    there = tuple(doc.text(p, "name") or '""' for p in doc.rows(service, "spec", "ports"))
    for one in slices or ():
        for i, port in enumerate(doc.rows(one, "ports")[:_MOST]):
            yield Counterpart(
                "slice-port",
                name_of(one, "EndpointSlice"),
                f"ports[{i}].name",
                doc.text(port, "name") or '""',
                "Service",
                (to,),
                "spec.ports[].name",
                there,
            )


def read_same_paths(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield each host and path of an Ingress with the other Ingresses of its class that have it, too."""
    own = list(_list_paths(obj))[:_MOST]
    if not own or _CANARY in doc.section(obj, "metadata", "annotations"):
        return
    others = list_all(session, "Ingress", None)
    if others is None:
        return
    class_ = doc.text(obj, "spec", "ingressClassName")
    theirs = [
        (name_of(i, "Ingress"), dict(_list_paths(i)))
        for i in others
        if doc.text(i, "spec", "ingressClassName") == class_
        and _CANARY not in doc.section(i, "metadata", "annotations")
    ]
    for path, (field, service) in own:
        same = [
            ref
            for ref, paths in theirs
            if (ref.within, ref.name) != (about.within, about.name)
            and path in paths
            and (paths[path][1] != service or ref.within != about.within)
        ]
        if same:
            yield Counterpart(
                "ingress-path",
                about,
                field,
                path,
                "Ingress",
                tuple(same[:_SHOWN]),
                "spec.rules[].http.paths[]",
                (path,),
            )


def _list_paths(item: doc.Doc) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each `HOST/PATH (TYPE)` of an Ingress, with its place and its Service and port."""
    for at, rule in walk(item, "spec.rules[]"):
        for place, row in walk(rule, "http.paths[]", at):
            service = doc.section(row, "backend", "service")
            port = doc.scalar(doc.section(service, "port"), "number") or doc.text(service, "port", "name")
            key = (
                f"{doc.text(rule, 'host') or '*'}{doc.text(row, 'path') or '/'} ({doc.text(row, 'pathType')})"
            )
            yield key, (place, f"{doc.text(service, 'name')}:{port}")


def _is_missing(session: Session, ref: Ref) -> bool:
    kind = kind_of_ref(session, ref.kind)
    return kind is not None and session.object(kind, ref).reply.object_missing


def read_certificate_secrets(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the Secret that a Certificate writes for a host of an Ingress with the Secret that this reads, if
    that is not there.
    """
    hosts = {doc.text(rule, "host") for rule in doc.rows(obj, "spec", "rules")}
    for at, row in walk(obj, "spec.tls[]"):
        name = doc.text(row, "secretName")
        if not name or not _is_missing(session, Ref("Secret", about.within, name)):
            continue
        mine = [
            c
            for c in list_all(session, CERTIFICATE, about.within) or ()
            if set(doc.strings(c, "spec", "dnsNames")) & hosts.union(doc.strings(row, "hosts"))
        ]
        if mine:
            yield Counterpart(
                "certificate-secret",
                about,
                f"{at}.secretName",
                name,
                CERTIFICATE,
                tuple(name_of(c, CERTIFICATE) for c in mine[:_SHOWN]),
                "spec.secretName",
                tuple(dict.fromkeys(doc.text(c, "spec", "secretName") for c in mine)),
            )


def read_snapshot_driver(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the driver of a snapshot's class with that of the claim's volume."""
    name = doc.text(obj, "spec", "volumeSnapshotClassName")
    claim = read_one(
        session,
        Ref(
            "PersistentVolumeClaim",
            about.within,
            doc.text(obj, "spec", "source", "persistentVolumeClaimName"),
        ),
    )
    volume = Ref("PersistentVolume", None, doc.text(claim, "spec", "volumeName"))
    driver = doc.text(read_one(session, volume), "spec", "csi", "driver")
    class_ = Ref(_SNAPSHOT_CLASS, None, name)
    own = doc.text(read_one(session, class_), "driver") if name else ""
    if own and driver:
        yield Counterpart(
            "snapshot-driver",
            class_,
            "driver",
            own,
            "PersistentVolume",
            (volume,),
            "spec.csi.driver",
            (driver,),
        )


def read_metric_containers(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the containers whose metrics an autoscaler asks for with those of its target's template."""
    asked = [
        (f"{at}.container", doc.text(row, "container"))
        for at, row in walk(obj, "spec.metrics[].containerResource")
    ]
    yield from _compare_containers(session, about, asked, doc.section(obj, "spec", "scaleTargetRef"))


def read_policy_containers(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the containers that a VerticalPodAutoscaler has policies for with those of its target's
    template.
    """
    asked = [
        (f"{at}.containerName", doc.text(row, "containerName"))
        for at, row in walk(obj, "spec.resourcePolicy.containerPolicies[]")
        if doc.text(row, "containerName") != "*"
    ]
    yield from _compare_containers(session, about, asked, doc.section(obj, "spec", "targetRef"))


def _compare_containers(
    session: Session, about: Ref, asked: list[tuple[str, str]], target: doc.Doc
) -> Iterator[Counterpart]:
    group = doc.text(target, "apiVersion").rpartition("/")[0]
    to = Ref(ref_kind(group, doc.text(target, "kind")), about.within, doc.text(target, "name"))
    made = read_one(session, to) if asked else None
    template = doc.section(made, "spec", "template")
    # A webhook may have added further containers to the Pods.
    labels = doc.pairs(template, "metadata", "labels")
    pods = list_all(session, "Pod", about.within, write_labels(labels)) if labels else ()
    there = tuple(
        dict.fromkeys(
            doc.text(c, "name")
            for one in (template, *(pods or ()))
            for group in ("containers", "initContainers")
            for c in doc.rows(one, "spec", group)
        )
    )
    for field, name in asked[:_MOST] if there else ():
        yield Counterpart(
            "target-container",
            about,
            field,
            name,
            to.kind,
            (to,),
            "spec.template.spec.containers[].name",
            there,
        )


def read_role_groups(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the apiGroups of each rule with those in which the server has its resources."""
    known = resources(session)
    if known.failed:
        return
    groups: dict[str, list[str]] = {}
    for kind in known.kinds:
        groups.setdefault(kind.plural, []).append(kind.group)
    served = {kind.group for kind in known.kinds}
    asked: dict[str, list[tuple[str, str]]] = {}
    for at, rule in walk(obj, "rules[]"):
        for name in doc.strings(rule, "resources")[:_MOST]:
            pairs = [(at, group) for group in doc.strings(rule, "apiGroups")]
            asked.setdefault(name.partition("/")[0], []).extend(pairs)
    for name, given in asked.items():
        there = groups.get(name, [])
        # Of a group that is not served, as an add-on's that is not here, nothing is known.
        if there and given and all(group in served for _, group in given):
            at, own = next((pair for pair in given if pair[1] in there), given[0])
            to, shown = Ref(_SERVED, None, name), tuple(map(_quote, there))
            yield Counterpart(
                "role-group", about, f"{at}.apiGroups", _quote(own), _SERVED, (to,), "group", shown
            )


def _quote(group: str) -> str:
    return group or '""'


def read_project(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the source and the destination of an Application with those that its project allows."""
    to = Ref(PROJECT, about.within, doc.text(obj, "spec", "project"))
    project = read_one(session, to) if to.name else None
    if project is None:
        return
    repo, into = doc.text(obj, "spec", "source", "repoURL"), doc.section(obj, "spec", "destination")
    if repo:
        yield Counterpart(
            "project-allows",
            about,
            "spec.source.repoURL",
            repo.removesuffix(".git"),
            PROJECT,
            (to,),
            "spec.sourceRepos",
            tuple(one.removesuffix(".git") for one in doc.strings(project, "spec", "sourceRepos")),
        )
    server = doc.text(into, "server")
    if server and doc.text(into, "namespace"):
        yield Counterpart(
            "project-allows",
            about,
            "spec.destination",
            f"{server} {doc.text(into, 'namespace')}",
            PROJECT,
            (to,),
            "spec.destinations",
            tuple(
                f"{doc.text(d, 'server') or '*'} {doc.text(d, 'namespace')}"
                for d in doc.rows(project, "spec", "destinations")
            ),
        )
