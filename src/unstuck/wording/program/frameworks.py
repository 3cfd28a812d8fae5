"""Startup errors of frameworks and data stores: a bean, a runtime, a class, a data directory of another release."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import ANY_PROGRAM, VERSION, LastWord, words

_TYPE = r"[\w.$<>,\[\]? ]{2,300}?"

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "incompatible",
        words(
            rf"(?P<reason>(?:\b[\w./-]{{2,120}} )?(?:was|were) (?:initiali[sz]ed|created|written|upgraded|generated|saved) (?:by|with|for) (?:[A-Za-z][\w-]{{1,40}} )?version \"?{VERSION}\"?,? which is"
            rf" (?:not compatible|incompatible|not supported|newer|older)\b[^\"]{{0,120}}"
            rf"|\b[Cc]annot (?:upgrade|downgrade) (?:[\w ]{{1,40}} )?from (?:version )?\[?{VERSION}\]? (?:directly )?to (?:version )?\[?{VERSION}\]?"
            rf"|\b(?:[Dd]owngrad(?:e|ing)|[Uu]pgrad(?:e|ing)) from (?:version )?\[?{VERSION}\]? to (?:version )?\[?{VERSION}\]? is (?:not supported|unsupported|not allowed|not possible))"
        ),
        ("version ", "annot upgrade", "annot downgrade", "owngrad", "pgrad"),
        (
            Seen("PostgreSQL", "8–18", "src/backend/utils/init/miscinit.c (ValidatePgVersion)"),
            Seen("MySQL", "8–9", "share/messages_to_error_log.txt"),
            ANY_PROGRAM,
        ),
        (
            Example(
                "The data directory was initialized by PostgreSQL version 12, which is not compatible with this version 16.1.",
                "incompatible reason=directory was initialized by PostgreSQL version 12, which is not compatible with this version 16.1.",
            ),
            Example(
                "[ERROR] [MY-014060] [Server] Invalid MySQL server upgrade: Cannot upgrade from 50742 to 80401. Upgrade to next major version",
                "incompatible reason=Cannot upgrade from 50742 to 80401.",
            ),
        ),
        own=True,
    ),
    LastWord(
        "api-not-served",
        words(
            r"^Error from server \(BadRequest\): .{0,400}?no kind \"(?P<name>\w{1,120})\" is registered for version \"(?P<group>[\w./-]{1,253})\""
        ),
        (" is registered for version ",),
        (Seen("kube-apiserver", "1.5–1.34", "staging/src/k8s.io/apimachinery/pkg/runtime/error.go"),),
        (
            Example(
                'Error from server (BadRequest): error when creating "a.yml": CronJob in version "v2" cannot be handled as a CronJob: no kind "CronJob" is registered for version "batch/v2"',
                "api-not-served group=batch/v2 name=CronJob",
            ),
            Example(
                'Error from server (BadRequest): no kind "Ingress" is registered for version "extensions/v1beta1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
                "api-not-served group=extensions/v1beta1 name=Ingress",
            ),
        ),
    ),
    LastWord(
        "bean-missing",
        words(
            rf"\b[Nn]o qualifying bean of type '(?P<name>{_TYPE})' available(?P<reason>: expected single matching bean but found \d{{1,4}}: [\w.,$-]{{1,400}})?"
            rf"|\brequired a (?:single )?bean(?: of type| named) '(?P<name_2>{_TYPE})' that could not be found"
            rf"|\b[Nn]o bean named '(?P<name_3>{_TYPE})' (?:available|is defined)"
        ),
        ("o qualifying bean", " that could not be found", "o bean named"),
        (
            Seen(
                "Spring Framework",
                "3–6",
                "spring-beans: NoSuchBeanDefinitionException.java, NoUniqueBeanDefinitionException.java",
            ),
            Seen("Spring Boot", "1.4–3", "NoSuchBeanDefinitionFailureAnalyzer.java"),
        ),
        (
            Example(
                "Caused by: org.springframework.beans.factory.NoSuchBeanDefinitionException: No qualifying bean of type 'shop.Till' available: expected at least 1 bean which qualifies as autowire candidate.",
                "bean-missing name=shop.Till",
            ),
            Example(
                "Parameter 0 of constructor in shop.Web required a bean of type 'shop.Till' that could not be found.",
                "bean-missing name=shop.Till",
            ),
        ),
        own=True,
    ),
    LastWord(
        "library-missing",
        words(
            r"\b(?:Framework: '|[Tt]he framework '|required framework ')(?P<name>Microsoft\.[\w.]{2,60})',? version '(?P<reason>[\d.]{1,20})'"
            r"|Could not find '?(?P<name_2>[\w-]{2,60})'? \((?P<reason_2>[\w.~><=, -]{1,30})\) required by\b"
            r"|\bYou must use (?P<name_3>Bundler) (?P<reason_3>\d[\w.]{0,10}) or greater with this lockfile"
        ),
        ("ramework", "required by", "You must use Bundler"),
        (
            Seen(".NET", "3–9", "src/native/corehost/fxr/fx_resolver.messages.cpp"),
            Seen("Bundler", "1–2", "rubygems/bundler_version_finder.rb"),
        ),
        (
            Example(
                "Framework: 'Microsoft.NETCore.App', version '8.0.0' (x64)",
                "library-missing name=Microsoft.NETCore.App reason=8.0.0",
            ),
            Example(
                "Could not find 'bundler' (2.4.10) required by your /app/Gemfile.lock.",
                "library-missing name=bundler reason=2.4.10",
            ),
        ),
        own=True,
    ),
    LastWord(
        "route-missing",
        words(
            r"\"?[Ii]gnoring ingress because of error while validating ingress class\"? ingress=\"(?P<namespace>[a-z0-9-]{1,63})/(?P<name>[a-z0-9][a-z0-9.-]{0,252})\""
            r"|[Ii]gnoring (?:add for )?ingress (?P<name_2>[a-z0-9][a-z0-9.-]{0,252}) (?:in (?:namespace )?(?P<namespace_2>[a-z0-9-]{1,63}) )?based on annotation"
        ),
        ("gnoring ",),
        (Seen("ingress-nginx", "0.9–1.13", "internal/ingress/controller/store/store.go"),),
        (
            Example(
                'I1121 02:59:00.000000       7 store.go:440] "Ignoring ingress because of error while validating ingress class" ingress="shop/web" error="ingress does not contain a valid IngressClass"',
                "route-missing name=web namespace=shop",
            ),
            Example(
                "I1121 02:59:00.000000 8 main.go:150] ignoring add for ingress web based on annotation kubernetes.io/ingress.class with value inner",
                "route-missing name=web",
            ),
        ),
    ),
    LastWord(
        "value-malformed",
        words(
            r"(?:\bcannot parse '(?P<name>[^']{0,120})': )?(?P<resource>quantities) must match the regular expression"
            r"|\bunsupported (?P<resource_2>protocol scheme) \"(?P<name_2>[^\"]{0,60})\""
        ),
        ("quantities must match", "unsupported protocol scheme"),
        (
            Seen("apimachinery", "1.2–1.34", "staging/src/k8s.io/apimachinery/pkg/api/resource/quantity.go"),
            Seen("Go", "1.0–1.25", "src/net/http/transport.go"),
        ),
        (
            Example(
                "panic: cannot parse '1 GB': quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
                "value-malformed name=1 GB resource=quantities",
            ),
            Example(
                "Error: quantities must match the regular expression '^([+-]?[0-9.]+)'",
                "value-malformed resource=quantities",
            ),
        ),
        own=True,
    ),
)
