"""The program that writes a line, by words that no other program uses. The first match counts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex


@record()
class Speaker(Record):
    """A program by its own words. name: as its makers write it. upstream: the file that prints them."""

    name: str
    said: re.Pattern[str]
    upstream: str


SPEAKERS: tuple[Speaker, ...] = (
    Speaker(
        "Argo CD",
        regex(
            r"\bComparisonError\b|\bInvalidSpecError\b|[Mm]anifest generation error|: app path does not exist"
        ),
        "argoproj/argo-cd reposerver/repository/repository.go",
    ),
    Speaker(
        "Flux",
        regex(r"\bkustomization path not found: |\b(?:kustomize|helm|source)-controller\b"),
        "fluxcd/kustomize-controller internal/controller/kustomization_controller.go",
    ),
    Speaker(
        "Crossplane",
        regex(r"\bcannot resolve package dependencies\b|\bpkg\.crossplane\.io\b|\bPackageRevisionHealth\b"),
        "crossplane/crossplane internal/controller/pkg/revision/reconciler.go",
    ),
    Speaker(
        "KEDA",
        regex(r"\bkeda_metrics_adapter\b|\bscale_?handler\b|\b[sS]caledObject\b"),
        "kedacore/keda pkg/scaling/scale_handler.go",
    ),
    Speaker(
        "OLM",
        regex(
            r"\bconstraints not satisfiable\b|\breferenced by subscription \w|\brequires an operator (?:with|providing) "
        ),
        "operator-framework/operator-lifecycle-manager pkg/controller/registry/resolver/resolver.go",
    ),
    Speaker(
        "Consul",
        regex(r"\bACL not found: |\bconsul-(?:server|client|connect-inject|k8s)\b"),
        "hashicorp/consul agent/consul/acl_endpoint.go",
    ),
    Speaker(
        "Knative",
        regex(r"\bfailed to resolve image to digest\b|\bserving\.knative\.dev\b"),
        "knative/serving pkg/reconciler/revision/reconcile_resources.go",
    ),
    Speaker(
        "Traefik",
        regex(r"@kubernetescrd\b|\bentryPointName\b"),
        "traefik/traefik pkg/provider/kubernetes/crd",
    ),
    Speaker(
        "cert-manager",
        regex(r"\bcert-manager\b|\bInvalidSolver\b"),
        "cert-manager/cert-manager pkg/controller",
    ),
    Speaker("external-dns", regex(r"\bFailed to do run once: "), "kubernetes-sigs/external-dns main.go"),
    Speaker(
        "PostgreSQL",
        regex(r"\b(?:FATAL|PANIC|DETAIL|HINT): {2}\S|\bpg_ctl: |\binitdb: "),
        "postgres src/backend/utils/error/elog.c",
    ),
    Speaker("MySQL", regex(r"\[ERROR\] \[MY-\d{6}\]|\bERROR \d{4} \([0-9A-Z]{5}\)"), "mysql sql/log.cc"),
    Speaker("RabbitMQ", regex(r"\brabbitmq\b"), "rabbitmq/rabbitmq-server"),
    Speaker(
        "Elasticsearch", regex(r"\bbootstrap check(?:s)? fail"), "elastic/elasticsearch BootstrapChecks.java"
    ),
    Speaker(
        "Python", regex(r"^(?:ModuleNotFoundError|ImportError): "), "CPython Lib/importlib/_bootstrap.py"
    ),
    Speaker(
        "Node.js",
        regex(r"^(?:Error: |\S{0,40}\[?ERR_MODULE_NOT_FOUND\]?: )Cannot find (?:module|package) '"),
        "node lib/internal/modules/cjs/loader.js",
    ),
    Speaker("Helm", regex(r"\b(?:INSTALLATION|UPGRADE|ROLLBACK) FAILED: "), "helm/helm pkg/cmd"),
)


def find_speaker(line: str, around: Sequence[str] = ()) -> str:
    """Return the program that writes a line, by the line or else by the lines around it; "" if unknown."""
    return next((one.name for text in (line, *around) for one in SPEAKERS if one.said.search(text)), "")
