"""Words of programs about a version, a processor or a kernel that does not fit: of data, of their platform,
of compiled code.
"""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "incompatible",
        words(
            r"(?P<reason>[Ii]nvalid featureCompatibilityVersion document[^\"{:]{0,80}|Cannot (?:boot|upgrade) server version \d{3,9} on data directory built by version \d{3,9}"
            r"|Upgrade after a crash is not supported|Can't handle RDB format version \d{1,5}"
            r"|cannot (?:upgrade|downgrade) a node from version \[[\w.-]{1,30}\] (?:directly )?to version \[[\w.-]{1,30}\]"
            r"|[\w/$.]{1,200} has been compiled by a more recent version of the Java Runtime \(class file version [\d.]{1,8}\)(?:, this version of the Java Runtime only recognizes class file versions up to [\d.]{1,7}\d)?"
            r"|digital envelope routines::unsupported|requires a CPU with [\w.-]{2,20} support|CPU does not support x86-64-v\d"
            r"|minimal supported kernel version is [\d.]{1,12}; kernel version that is running is: [\d.]{1,12}\d"
            # k8s.io/apimachinery pkg/runtime/error.go; grpc-go server.go; structured-merge-diff typed/validate.go.
            r"|no kind \"\w{1,120}\" is registered for version \"[\w./-]{1,253}\"(?: in scheme)?|unknown method \w{1,120} for service [\w.]{1,200}"
            r"|error creating typed\w{1,20}: \.?[\w.\[\]]{1,200}: field not declared in schema"
            # client-go exec.go; node bin engines.
            r"|exec plugin is configured to use API version [\w./-]{3,253}, plugin returned version [\w./-]{3,253}"
            r"|\bNode(?:\.js)?(?: version)? v?[\d.]{1,12} is (?:not supported|unsupported)\b[^\"\n]{0,80}"
            r"|requires a different Python: [\d.]{1,10} not in \S{1,40})"
        ),
        (
            *(
                "featureCompatibilityVersion",
                "on data directory built by",
                "Upgrade after a crash",
                "RDB format version",
                "a node from version [",
            ),
            *(
                "more recent version of the Java",
                "digital envelope",
                "requires a CPU",
                "CPU does not support",
                "minimal supported kernel",
            ),
            *("a different Python", " is registered for version "),
            *("unknown method ", "field not declared in schema", "plugin returned version"),
            *(" is not supported", " is unsupported"),
        ),
        (
            Seen(
                "MongoDB",
                "3.4–8",
                "src/mongo/db/repl/replication_consistency_markers, feature_compatibility_version_parser.cpp",
            ),
            Seen("MySQL", "8–9", "share/messages_to_error_log.txt"),
            Seen("Redis", "2–8", "src/rdb.c"),
            Seen("Elasticsearch", "7–9", "env/NodeMetadata.java"),
            Seen("OpenJDK", "8–25", "src/hotspot/share/classfile/classFileParser.cpp"),
            Seen("OpenSSL", "3", "crypto/evp/evp_err.c"),
            Seen("glibc", "2.33–2.42", "sysdeps/x86/dl-get-cpu-features.c"),
            Seen("Cilium", "1.6–1.18", "pkg/datapath/linux/requirements.go"),
            Seen("apimachinery", "1.8–1.34", "staging/src/k8s.io/apimachinery/pkg/runtime/error.go"),
            Seen("client-go", "1.11–1.34", "plugin/pkg/client/auth/exec/exec.go"),
            Seen("grpc-go", "1", "server.go"),
            Seen("structured-merge-diff", "3–6", "typed/validate.go"),
        ),
        (
            Example(
                "UPGRADE PROBLEM: Found an invalid featureCompatibilityVersion document (ERROR: Location4926900",
                "incompatible reason=invalid featureCompatibilityVersion document (ERROR",
            ),
            Example(
                "[ERROR] [MY-013171] [InnoDB] Cannot boot server version 80028 on data directory built by version 80030.",
                "incompatible reason=Cannot boot server version 80028 on data directory built by version 80030",
            ),
            Example(
                "# Can't handle RDB format version 10",
                "incompatible reason=Can't handle RDB format version 10",
            ),
            Example(
                "java.lang.UnsupportedClassVersionError: com/acme/Main has been compiled by a more recent version of the Java Runtime (class file version 61.0), this version of the Java Runtime only recognizes class file versions up to 55.0",
                "incompatible reason=com/acme/Main has been compiled by a more recent version of the Java Runtime (class file version 61.0), this version of the Java Runtime only recognizes class file versions up to 55.0",
            ),
            Example(
                "Error: error:0308010C:digital envelope routines::unsupported",
                "incompatible reason=digital envelope routines::unsupported",
            ),
            Example(
                'failed to convert: no kind "Widget" is registered for version "tools.example.com/v2" in scheme "pkg/runtime/scheme.go:101"',
                'incompatible reason=no kind "Widget" is registered for version "tools.example.com/v2" in scheme',
            ),
            Example(
                "rpc error: code = Unimplemented desc = unknown method Paths for service render.RenderService",
                "incompatible reason=unknown method Paths for service render.RenderService",
            ),
            Example(
                "error building typed results: error creating typedLive: .status.size: field not declared in schema",
                "incompatible reason=error creating typedLive: .status.size: field not declared in schema",
            ),
            Example(
                "error: exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin returned version client.authentication.k8s.io/v1beta1",
                "incompatible reason=exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin returned version client.authentication.k8s.io/v1beta1",
            ),
            Example(
                "error: Node.js v12.22.1 is not supported by till, use 18 or later",
                "incompatible reason=Node.js v12.22.1 is not supported by till, use 18 or later",
            ),
            Example(
                "WARNING: MongoDB 5.0+ requires a CPU with AVX support, and your current system does not appear to have that!",
                "incompatible reason=requires a CPU with AVX support",
            ),
        ),
        own=True,
    ),
)
