"""A program's wrong or missing settings: its environment, its options, its configuration."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import PATH, LastWord, Naming, words

_VARIABLE = r"[A-Z][A-Z0-9]{0,40}_[A-Z0-9_]{1,60}"
# Words used for settings alone, and words used for tables and files as well.
_UNSET = (
    r"(?:(?:is|was|are|has)(?: (?:not|n't)|n't) (?:been )?(?:set|defined|provided|specified|configured)"
    r"|(?:is|was|are) (?:undefined|unset)|(?:must|has to|needs to) be (?:set|defined|provided|specified|configured)"
    r"|not (?:set|defined|provided|specified|configured)|isn't (?:set|defined)|unset|undefined)"
)
_LACKS = r"(?:(?:is |was |are )?(?:not found|missing|required|empty|not present)|cannot be empty|must not be empty|must be present)"
_OF_SETTINGS = r"(?=.{0,400}(?:[Ee]nv\b|[Ee]nvironment|[Vv]ariable|[Ss]etting|[Cc]onfig|[Rr]equired key))"

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "variable-missing",
        words(
            rf"(?<![\w/.-])[\"'`$]*\{{?(?P<name>{_VARIABLE})\}}?[\"'`]*:? (?:(?:environment|env(?:ironment)? ?var(?:iable)?|variable|setting) )?{_UNSET}\b"
            rf"|^{_OF_SETTINGS}.{{0,400}}?\b(?P<name_2>{_VARIABLE})\b[\"'`}}]*:? {_LACKS}\b"
        ),
        (
            "set",
            "defined",
            "provided",
            "specified",
            "found",
            "missing",
            "required",
            "empty",
            "configured",
            "present",
        ),
        (
            Seen("programs", "any", "their own words, as entrypoints write them"),
            Seen("bash", "4–5", "subst.c"),
        ),
        (
            Example("FATAL: DATABASE_URL not set", "variable-missing name=DATABASE_URL"),
            Example(
                "Error: environment variable STRIPE_API_KEY is required",
                "variable-missing name=STRIPE_API_KEY",
            ),
            Example("REDIS_HOST must be set", "variable-missing name=REDIS_HOST"),
        ),
    ),
    LastWord(
        "variable-missing",
        words(
            rf"^{_OF_SETTINGS}.{{0,400}}?\b(?:[Mm]issing|[Rr]equired|[Uu]ndefined|[Uu]nset|[Ee]mpty|[Nn]o|[Pp]lease set|[Mm]ust (?:specify|set|provide)|[Nn]eed to specify)(?: (?:the|required|mandatory|value for|key))*"
            rf"(?: (?:environment|env|config(?:uration)?))?(?: (?:variables?|vars?|settings?|keys?))?:? *[\"'`$(\[]*(?P<name>{_VARIABLE})\b"
        ),
        (
            "issing",
            "equired",
            "ndefined",
            "nset",
            "mpty",
            "No ",
            "no ",
            "lease set",
            "ust specify",
            "ust set",
            "ust provide",
            "eed to specify",
        ),
        (
            Seen("programs", "any", "their own words"),
            Seen("envconfig", "1", "envconfig.go"),
            Seen("postgres image", "9–17", "docker-entrypoint.sh"),
        ),
        (
            Example("config: missing FEATURE_URL", "variable-missing name=FEATURE_URL"),
            Example("required key SMTP_HOST missing value", "variable-missing name=SMTP_HOST"),
            Example(
                'Error: Missing required environment variable: "JWT_ISSUER"',
                "variable-missing name=JWT_ISSUER",
            ),
        ),
    ),
    LastWord(
        "variable-missing",
        words(
            rf"(?:envconfig: keys (?P<name_5>{_VARIABLE})[\w, ]{{0,400}} not found|KeyError: '(?P<name>{_VARIABLE})'|key not found: \"(?P<name_2>{_VARIABLE})\"|Could not resolve placeholder '(?P<name_3>[^']{{1,120}})'"
            r"|(?P<name_4>[A-Za-z_]\w{0,80}): (?:unbound variable|parameter (?:null or )?not set))"
        ),
        (
            "envconfig: keys",
            "KeyError",
            "key not found",
            "resolve placeholder",
            "unbound variable",
            "parameter not set",
            "parameter null",
        ),
        (
            Seen("CPython", "3", "Lib/os.py"),
            Seen("Spring", "3–7", "util/PropertyPlaceholderHelper.java"),
            Seen("bash", "4–5", "error.c"),
        ),
        (
            Example(
                "envconfig: keys APP_DB_HOST, APP_DBHOST, app_db_host not found",
                "variable-missing name=APP_DB_HOST",
            ),
            Example("KeyError: 'DATABASE_URL'", "variable-missing name=DATABASE_URL"),
            Example("/entrypoint.sh: line 3: DB_HOST: unbound variable", "variable-missing name=DB_HOST"),
            Example(
                "Caused by: java.lang.IllegalArgumentException: Could not resolve placeholder 'payment.url' in value \"${payment.url}\"",
                "variable-missing name=payment.url",
            ),
        ),
    ),
    LastWord(
        "option-unknown",
        words(r"unrecognized feature gate: (?P<name>\w{1,100})"),
        ("feature gate: ",),
        (Seen("component-base", "1.6–1.34", "featuregate/feature_gate.go"),),
        (
            Example(
                '"command failed" err="unrecognized feature gate: MountPropagation"',
                "option-unknown name=MountPropagation",
            ),
            Example(
                "failed complete: unrecognized feature gate: BlockVolume", "option-unknown name=BlockVolume"
            ),
        ),
        own=True,
    ),
    LastWord(
        "variable-missing",
        words(
            r"(?:[Tt]he (?P<name>[A-Z][A-Z_]{2,60}) setting must not be empty|Failed to configure a DataSource: '(?P<name_2>\w{2,40})' attribute is not specified"
            r"|at least one of \[(?P<name_3>[a-z][\w.]{3,60})[^\]]{0,200}\] must be configured|Database is uninitialized and (?:superuser )?(?P<name_4>password)(?: option)? is not specified)"
        ),
        ("must not be empty", "configure a DataSource", "must be configured", "Database is uninitialized"),
        (
            Seen("Django", "1.4–5", "django/conf/__init__.py"),
            Seen("Spring Boot", "2–4", "DataSourceBeanCreationFailureAnalyzer.java"),
            Seen("Elasticsearch", "7–9", "bootstrap/BootstrapChecks.java"),
            Seen("MySQL and PostgreSQL images", "5–18", "docker-entrypoint.sh"),
        ),
        (
            Example(
                "django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.",
                "variable-missing name=SECRET_KEY",
            ),
            Example(
                "Failed to configure a DataSource: 'url' attribute is not specified and no embedded datasource could be configured.",
                "variable-missing name=url",
            ),
            Example(
                "Error: Database is uninitialized and superuser password is not specified.",
                "variable-missing name=password",
            ),
        ),
        own=True,
    ),
    LastWord(
        "option-unknown",
        words(
            r"(?:flag provided but not defined|unknown (?:shorthand )?flag|[Uu]nknown option|[Uu]nrecognized option|[Ii]nvalid option|[Uu]nrecognized VM option"
            r"|bad option|[Nn]o such option|unrecognized arguments|[Uu]nexpected argument|Found argument|illegal option|unknown command)"
            r"(?: --)?:? *[\"'`‘]?(?P<name>-{0,2}[A-Za-z0-9][\w.-]{0,80})"
        ),
        ("flag", "option", "argument", "unknown command"),
        (
            Seen("Go", "1.0–1.25", "src/flag/flag.go"),
            Seen("pflag", "1", "flag.go"),
            Seen("glibc", "2", "posix/getopt.c"),
            Seen("CPython", "3", "Lib/argparse.py"),
            Seen("OpenJDK", "8–25", "src/hotspot/share/runtime/arguments.cpp"),
            Seen("clap", "3–4", "src/error/mod.rs"),
        ),
        (
            Example("flag provided but not defined: -listen-addr", "option-unknown name=-listen-addr"),
            Example("Error: unknown flag: --metrics-port", "option-unknown name=--metrics-port"),
            Example("server.py: error: unrecognized arguments: --worker=4", "option-unknown name=--worker"),
            Example("Unrecognized VM option 'UseConcMarkSweepGC'", "option-unknown name=UseConcMarkSweepGC"),
        ),
    ),
    LastWord(
        "config-unparsable",
        words(
            rf"yaml: (?:unmarshal errors|line (?P<at>\d{{1,7}}): .|did not find|could not find)|error converting YAML to JSON|YAMLException|yaml\.(?:scanner\.ScannerError|parser\.ParserError)"
            rf"|toml: line (?P<at_2>\d{{1,7}})|TOML parse error at line (?P<at_3>\d{{1,7}})|TOMLDecodeError"
            rf"|JSONDecodeError: .{{0,120}}?line (?P<at_4>\d{{1,7}})|invalid character .{{1,40}} (?:looking for|after|in (?:literal|string))|is not valid JSON|Unexpected token .{{1,60}} JSON|JsonParseException"
            rf"|SAXParseException; .{{0,200}}?lineNumber: (?P<at_5>\d{{1,7}})|MissingSectionHeaderError|configparser\.ParsingError"
            rf"|\[emerg\] .{{0,300}} in (?P<path>{PATH}):(?P<at_6>\d{{1,7}})$|parsing \[(?P<path_2>{PATH}):(?P<at_7>\d{{1,7}})\]"
            rf"|[Ss]yntax error (?:in file \"(?P<path_3>{PATH})\",? (?:near )?line (?P<at_8>\d{{1,7}})|on line (?P<at_9>\d{{1,7}}) of (?P<path_4>{PATH}))"
            rf"|FATAL CONFIG FILE ERROR|Reading the configuration file, at line (?P<at_10>\d{{1,7}})|unrecognized configuration parameter|configuration file \"(?P<path_5>{PATH})\" contains errors|configuration file contains errors|LogStash::ConfigurationError"
            rf"|(?:[Ff]ailed|[Ee]rror|[Uu]nable|[Cc]annot|[Cc]ould not)(?: to)? (?:parse|parsing|decode|decoding|unmarshal\w*)(?: the)? (?:config|configuration)\b"
        ),
        (
            *(
                "yaml",
                "YAML",
                "toml",
                "TOML",
                "JSON",
                "Json",
                "invalid character",
                "SAXParse",
                "MissingSection",
                "configparser",
                "[emerg]",
                "parsing [",
            ),
            *("yntax error", "CONFIG FILE", "configuration", "config", "ConfigurationError"),
        ),
        (
            Seen("gopkg.in/yaml", "2–3", "decode.go"),
            Seen("PyYAML", "3–6", "lib/yaml/error.py"),
            Seen("nginx", "1", "src/core/ngx_conf_file.c"),
            Seen("redis", "2–8", "src/config.c"),
            Seen("Go", "1.0–1.25", "src/encoding/json/scanner.go"),
            Seen("haproxy", "1–3", "src/cfgparse.c"),
            Seen("Fluent Bit", "1–4", "src/flb_config.c"),
            Seen("Logstash", "5–9", "logstash-core/lib/logstash/compiler.rb"),
        ),
        (
            Example(
                "fatal: load /etc/app/config.yaml: yaml: line 12: did not find expected key",
                "config-unparsable at=12 path=/etc/app/config.yaml",
            ),
            Example(
                'nginx: [emerg] unknown directive "proxy_pas" in /etc/nginx/conf.d/default.conf:7',
                "config-unparsable at=7 path=/etc/nginx/conf.d/default.conf",
            ),
            Example(
                "failed to load /etc/app/config.yaml: yaml: unmarshal errors: field chunk_size not found in type ingester.Config",
                "config-unparsable name=chunk_size path=/etc/app/config.yaml",
            ),
            Example(
                "json.decoder.JSONDecodeError: Expecting ',' delimiter: line 4 column 3 (char 61)",
                "config-unparsable at=4",
            ),
            Example("[error] configuration file contains errors, aborting.", "config-unparsable"),
            # A key of a ConfigMap usually has no ending.
            Example(
                "Error: failed to read mesh configuration file /etc/istio/config/mesh: yaml: line 3: found character that cannot start any token",
                "config-unparsable at=3 path=/etc/istio/config/mesh",
            ),
        ),
    ),
)

NAMINGS: tuple[Naming, ...] = (
    Naming(
        words(
            rf"(?:(?<![\w/.-])(?P<path>{PATH}\.\w{{1,10}})\b.{{0,300}})?\bfield (?P<name>[\w.-]{{1,80}}) not found in type "
        ),
        ("config-unparsable",),
    ),
    Naming(words(rf"(?<![\w/.-])(?P<path>{PATH}\.\w{{1,10}})\b"), ("config-unparsable",)),
    Naming(
        words(
            rf"\b(?:[Ff]ile|[Rr]ead(?:ing)?|[Ll]oad(?:ing)?|[Pp]ars(?:e|ing)|[Oo]pen(?:ing)?|from|in) [\"'`]?(?P<path>{PATH})(?=[\"'`:,;\s]|$)"
        ),
        ("config-unparsable",),
    ),
)
