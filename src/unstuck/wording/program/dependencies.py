"""Controllers' messages about a dependency that is not ready yet."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import NAME, SPACE, LastWord, words

_QUOTE = r"\\*[\"']"
_UNREADY = (
    r"(?:is not (?:yet )?ready\b|is not ready yet\b|is being reconciled\b|is awaiting reconciliation\b)"
)
# The machinery of Pods has words of its own for these.
_KIND = r"(?!Pod|Node|Container|Volume|PersistentVolume|Deployment|StatefulSet|Job)[A-Z][a-z]{2,30}(?:[A-Z][A-Za-z]{1,30}){1,4}"

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "dependency-unready",
        words(
            rf"\b(?P<resource>dependency) {_QUOTE}(?P<namespace>{SPACE})/(?P<name>{NAME}){_QUOTE} (?P<reason>is not ready)"
            rf"|\bdependency '(?P<resource_2>{_KIND})/(?P<namespace_2>{SPACE})/(?P<name_2>{NAME})' (?P<reason_2>is not ready)"
        ),
        ("dependency '", 'dependency "', "dependency \\"),
        (
            Seen(
                "Flux",
                "0.1–2",
                "kustomize-controller, helm-controller: checkDependencies in internal/controller",
            ),
        ),
        (
            Example(
                "dependency 'flux-system/base' is not ready",
                "dependency-unready name=base namespace=flux-system reason=is not ready resource=dependency",
            ),
            Example(
                "Dependencies do not meet ready condition, retrying in 30s: dependency 'flux-system/dns' is not ready",
                "dependency-unready name=dns namespace=flux-system reason=is not ready resource=dependency",
            ),
        ),
        own=True,
    ),
    LastWord(
        "dependency-unready",
        words(
            rf"\b(?P<resource>{_KIND}) {_QUOTE}(?:(?P<namespace>{SPACE})/)?(?P<name>{NAME}){_QUOTE} (?P<reason>{_UNREADY})"
            rf"|\b(?P<resource_2>{_KIND}) (?:(?P<namespace_2>{SPACE})/)(?P<name_2>{NAME}) (?P<reason_2>{_UNREADY})"
        ),
        (" is not ", " is being reconciled", " is awaiting reconciliation"),
        (
            Seen(
                "External Secrets Operator",
                "0.5–1",
                "pkg/controllers/secretstore/client_manager.go (assertStoreIsUsable)",
            ),
            Seen("controllers", "any", "their own words about an object by its kind"),
        ),
        (
            Example(
                'could not get secret store: SecretStore "till" is not ready',
                "dependency-unready name=till reason=is not ready resource=SecretStore",
            ),
            Example(
                "ERROR HelmChart 'flux-system/shop-till' is not ready",
                "dependency-unready name=shop-till namespace=flux-system reason=is not ready resource=HelmChart",
            ),
        ),
        marked=True,
    ),
)
