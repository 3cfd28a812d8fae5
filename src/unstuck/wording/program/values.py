"""Errors of a language's own parsers about a malformed value, and of a kernel about an address that no
interface has.

The surrounding exception is only a frame: the statement about the value decides.
"""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import HOST, PATH, LastWord, Naming, words

_GO = Seen(
    "Go", "1.0–1.25", "src/strconv/atoi.go, src/net/url/url.go, src/time/format.go, src/net/http/transport.go"
)
_PYTHON = Seen("CPython", "3", "Objects/longobject.c, Objects/floatobject.c, Lib/http/client.py")
_JAVA = Seen("OpenJDK", "8–25", "java/lang/NumberFormatException.java, java/net/URI.java")
_NODE = Seen("Node.js", "8–24", "lib/internal/errors.js, lib/internal/validators.js")
_VALUE = r"[^\"]{0,200}"

# The demands of a program's own check of a variable: words that no server uses about a login.
_ASKS_FOR = (
    r"(?:is (?:too (?:short|weak|long|simple)|not strong enough)"
    r"|(?:length )?(?:should|must) (?:be|have|contain|consist of) (?:at least|at most|a minimum of|no more than|between) \d"
    r"|length (?:is |of )?at least \d|(?:must|should) (?:be|have) (?:a )?(?:length|exactly \d))[^\"]{0,120}"
)

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "value-refused",
        words(
            rf"(?P<reason>\b(?:[A-Z][A-Z0-9]*_[A-Z0-9_]{{2,80}} {_ASKS_FOR}(?:, )?and )?(?P<name>[A-Z][A-Z0-9]*_[A-Z0-9_]{{2,80}}) "
            rf"{_ASKS_FOR})"
        ),
        ("too short", "too weak", "too long", "too simple", "strong enough", "should ", "must ", "length "),
        (Seen("MinIO", "RELEASE.2021–2025", "internal/auth/credentials.go"),),
        (
            Example(
                "  CACHE_ROOT_USER length should be at least 3, and CACHE_ROOT_PASSWORD length at least 8 characters",
                "value-refused name=CACHE_ROOT_PASSWORD reason=CACHE_ROOT_USER length should be at least 3, and "
                "CACHE_ROOT_PASSWORD length at least 8 characters",
            ),
            Example(
                "Error: SESSION_SECRET must be at least 32 characters long",
                "value-refused name=SESSION_SECRET reason=SESSION_SECRET must be at least 32 characters long",
            ),
        ),
    ),
    LastWord(
        "value-malformed",
        words(
            r"invalid literal for (?P<resource>int)\(\) with base \d{1,2}: [ub]?['\"](?P<name>[^'\"]{0,200})['\"]"
            r"|could not convert string to (?P<resource_2>float): ['\"]?(?P<name_2>[^'\"]{0,200})"
            rf"|strconv\.(?P<resource_3>Atoi|Parse(?:Int|Uint|Float|Bool)): parsing \"(?P<name_3>{_VALUE})\": (?:invalid syntax|value out of range)"
            rf"|(?P<resource_4>NumberFormatException): (?:For input string: |Cannot parse null string: )\"?(?P<name_4>{_VALUE})"
            r"|(?P<resource_5>Parse(?:Int|Float)Error) \{ kind: \w{1,40} \}"
            rf"|invalid value for (?P<resource_6>Integer|Float)\(\): \"(?P<name_6>{_VALUE})\""
            r"|(?P<resource_7>FormatException): (?:The i|I)nput string (?:'(?P<name_7>[^']{0,200})' )?was not in a correct format"
            r"|\[(?P<resource_8>ERR_SOCKET_BAD_PORT)\]: .{0,200}?Received (?:type \w{1,20} \()?(?P<name_8>[^\s()]{1,100})"
            r"|'(?P<name_9>[^']{0,200})' is not a valid (?P<resource_9>integer|int|float)\b"
            r"|\[type=(?P<resource_10>(?:int|float|bool|url)_parsing), input_value='(?P<name_10>[^']{0,200})'"
            r"|address :?(?P<name_11>tcp://\S{1,60}): (?P<resource_11>too many colons in address)"
            r"|Invalid HTTP (?P<resource_12>port): (?P<name_12>\S{1,100})"
            # k8s.io/apimachinery pkg/labels/selector.go.
            r"|unable to parse requirement: .{0,200}?Invalid value: \\*\"(?P<name_13>[^\"\\]{1,200})\\*\": a (?P<resource_13>valid label) must"
        ),
        (
            *(
                "invalid literal for",
                "convert string to float",
                "strconv.",
                "NumberFormatException: ",
                "ParseIntError",
                "ParseFloatError",
            ),
            *(
                "invalid value for ",
                "FormatException: ",
                "ERR_SOCKET_BAD_PORT",
                "is not a valid ",
                "_parsing, input",
                "too many colons",
            ),
            "Invalid HTTP port",
            "unable to parse requirement",
        ),
        (
            _GO,
            _PYTHON,
            _JAVA,
            _NODE,
            Seen("apimachinery", "1.2–1.34", "staging/src/k8s.io/apimachinery/pkg/labels/selector.go"),
            Seen("Rust", "1", "library/core/src/num/error.rs"),
            Seen("Ruby", "2–3", "bignum.c, object.c"),
            Seen("click, pydantic", "7–8, 2", "src/click/types.py, pydantic-core/src/errors/types.rs"),
            Seen("Play", "2", "transport/server/play-server"),
            Seen(".NET", "5–9", "System/Number.Parsing.cs"),
        ),
        (
            Example(
                "ValueError: invalid literal for int() with base 10: 'tcp://10.0.0.7:6379'",
                "value-malformed name=tcp://10.0.0.7:6379 resource=int",
            ),
            Example(
                "Error: Invalid value for '--port': 'tcp://10.0.0.1:8000' is not a valid integer.",
                "value-malformed name=tcp://10.0.0.1:8000 resource=integer",
            ),
            Example(
                "  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='tcp://10.0.0.1:8686', input_type=str]",
                "value-malformed name=tcp://10.0.0.1:8686 resource=int_parsing",
            ),
            Example(
                '{"level":"fatal","msg":"HTTP server crashed","error":"listen tcp: address :tcp://10.0.0.2:9898: too many colons in address"}',
                "value-malformed name=tcp://10.0.0.2:9898 resource=too many colons in address",
            ),
            Example(
                'unable to parse requirement: values[0][app]: Invalid value: "pod/web-1": a valid label must be an empty string or consist of alphanumeric characters',
                "value-malformed name=pod/web-1 resource=valid label",
            ),
            Example(
                "Invalid HTTP port: tcp://10.0.0.3:9000",
                "value-malformed name=tcp://10.0.0.3:9000 resource=port",
            ),
            Example(
                "ValueError: could not convert string to float: 'abc'",
                "value-malformed name=abc resource=float",
            ),
            Example(
                'panic: strconv.ParseInt: parsing "10s": invalid syntax',
                "value-malformed name=10s resource=ParseInt",
            ),
            Example(
                'Caused by: java.lang.NumberFormatException: For input string: "8080 "',
                "value-malformed name=8080  resource=NumberFormatException",
            ),
            Example(
                "thread 'main' panicked at src/main.rs:10:5: called `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }",
                "value-malformed resource=ParseIntError",
            ),
            Example(
                '/app/config.rb:3:in `Integer\': invalid value for Integer(): "x1" (ArgumentError)',
                "value-malformed name=x1 resource=Integer",
            ),
            Example(
                "Unhandled exception. System.FormatException: The input string 'abc' was not in a correct format.",
                "value-malformed name=abc resource=FormatException",
            ),
            Example(
                "RangeError [ERR_SOCKET_BAD_PORT]: options.port should be >= 0 and < 65536. Received type number (NaN).",
                "value-malformed name=NaN resource=ERR_SOCKET_BAD_PORT",
            ),
        ),
    ),
    LastWord(
        "value-malformed",
        words(
            rf"(?P<resource>time): (?:invalid duration|(?:unknown|missing) unit (?:\"[^\"]{{1,40}}\" )?in duration) \"?(?P<name>{_VALUE})"
            r"|\b(?P<resource_2>parse) \"?(?P<name_2>[^\"\s]{1,300}?)\"?: (?:invalid port \"[^\"]{0,100}\" after host|first path segment in URL cannot contain colon"
            r"|missing protocol scheme|net/url: invalid|invalid character \"[^\"]{1,10}\" in host name)"
            r"|\[(?P<resource_3>ERR_INVALID_URL)\]: Invalid URL(?:: (?P<name_3>\S{1,300}))?|TypeError: (?P<resource_4>Invalid URL)(?:: (?P<name_4>\S{1,300}))?"
            r"|(?P<resource_5>URISyntaxException): .{1,200} at index \d{1,5}: (?P<name_5>\S{1,300})"
            r"|(?P<resource_6>Illegal character) in \w{1,20} at index \d{1,5}: (?P<name_6>\S{1,300})"
            r"|(?P<resource_7>MalformedURLException): (?:no protocol|unknown protocol): (?P<name_7>\S{1,300})"
            r"|(?P<resource_8>bad URI) ?\(is not URI\?\): \"?(?P<name_8>[^\"]{1,300})|(?P<resource_9>UriFormatException): Invalid URI"
            r"|(?P<resource_10>Could not parse (?:rfc1738|SQLAlchemy) URL) from (?:given URL )?string"
        ),
        (
            *(
                "duration ",
                "parse ",
                "Invalid URL",
                "URISyntaxException: ",
                "Illegal character in ",
                "MalformedURLException: ",
            ),
            *("bad URI", "Invalid URI", "Could not parse "),
        ),
        (
            _GO,
            _JAVA,
            _NODE,
            Seen("Ruby", "2–3", "lib/uri/rfc3986_parser.rb"),
            Seen("SQLAlchemy", "1–2", "lib/sqlalchemy/engine/url.py"),
        ),
        (
            Example(
                'panic: time: unknown unit "secs" in duration "10secs"',
                "value-malformed name=10secs resource=time",
            ),
            Example('panic: time: invalid duration "30"', "value-malformed name=30 resource=time"),
            Example(
                'parse "http://web:tcp": invalid port ":tcp" after host',
                "value-malformed name=http://web:tcp resource=parse",
            ),
            Example("TypeError [ERR_INVALID_URL]: Invalid URL", "value-malformed resource=ERR_INVALID_URL"),
            Example(
                "TypeError: Invalid URL: undefined/api",
                "value-malformed name=undefined/api resource=Invalid URL",
            ),
            Example(
                "java.lang.IllegalArgumentException: Illegal character in authority at index 7: http://my_host:80",
                "value-malformed name=http://my_host:80 resource=Illegal character",
            ),
            Example(
                'URI::InvalidURIError: bad URI(is not URI?): "http://foo bar"',
                "value-malformed name=http://foo bar resource=bad URI",
            ),
            Example(
                "sqlalchemy.exc.ArgumentError: Could not parse SQLAlchemy URL from string ''",
                "value-malformed resource=Could not parse SQLAlchemy URL",
            ),
        ),
    ),
    LastWord(
        "value-malformed",
        words(
            r"(?P<resource>Invalid header value)\b|(?P<resource_2>Invalid character in header content) \[\"(?P<name_2>[\w-]{1,80})\"\]"
            r"|(?P<resource_3>invalid header field value)(?: \".{0,200}?\")? for (?:key )?\"?(?P<name_3>[\w-]{1,80})"
            r"|return character\(s\) in (?P<resource_4>header value)"
            r"|illegal (?P<resource_5>base64) data at input byte|binascii\.Error: (?P<resource_6>Incorrect padding|Invalid base64-encoded)"
            r"|Illegal (?P<resource_7>base64) character|must be 32 url-safe (?P<resource_8>base64)-encoded bytes"
        ),
        ("header value", "header content", "header field value", "base64", "binascii.Error"),
        (
            _GO,
            _PYTHON,
            _NODE,
            Seen("requests", "2", "src/requests/utils.py"),
            Seen("cryptography", "1–46", "fernet.py"),
        ),
        (
            Example(
                "ValueError: Invalid header value b'Bearer abc\\n'",
                "value-malformed resource=Invalid header value",
            ),
            Example(
                'TypeError [ERR_INVALID_CHAR]: Invalid character in header content ["Authorization"]',
                "value-malformed name=Authorization resource=Invalid character in header content",
            ),
            Example(
                'Post "https://relay.example.com": net/http: invalid header field value for "Authorization"',
                "value-malformed name=Authorization resource=invalid header field value",
            ),
            Example("panic: illegal base64 data at input byte 4", "value-malformed resource=base64"),
        ),
    ),
    LastWord(
        "value-malformed",
        words(
            r"(?P<resource>[Uu]nexpected end of JSON input)|Expecting value: (?P<resource_2>line 1 column 1 \(char 0\))"
            r"|(?P<resource_3>EOF while parsing a (?:value|object|list|string)) at line|No content to map due to (?P<resource_4>end-of-input)"
        ),
        ("end of JSON input", "column 1 (char 0)", "EOF while parsing a ", "No content to map"),
        (
            Seen("Go", "1.0–1.25", "src/encoding/json/scanner.go"),
            Seen("V8", "3–13", "src/common/message-template.h"),
            Seen("CPython", "3", "Lib/json/decoder.py"),
            Seen("serde_json", "1", "src/error.rs"),
            Seen("Jackson", "2", "databind/ObjectMapper.java"),
        ),
        (
            Example(
                "panic: load license /site/license.json: unexpected end of JSON input",
                "value-malformed path=/site/license.json resource=unexpected end of JSON input",
            ),
            Example(
                "SyntaxError: Unexpected end of JSON input",
                "value-malformed resource=Unexpected end of JSON input",
            ),
            Example(
                "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
                "value-malformed resource=line 1 column 1 (char 0)",
            ),
            Example(
                'Error("EOF while parsing a value", line: 1, column: 0): EOF while parsing a value at line 1 column 0',
                "value-malformed resource=EOF while parsing a value",
            ),
        ),
    ),
    LastWord(
        "address-absent",
        words(
            rf"\blisten (?:tcp|udp)\d? (?P<name>{HOST})?:(?P<port>\d{{1,5}}): bind: cannot assign requested address"
            rf"|\blisten EADDRNOTAVAIL:? (?:address not available )?(?P<name_2>{HOST}):(?P<port_2>\d{{1,5}})"
            rf"|\bbind\(\) to (?P<name_3>{HOST}):(?P<port_3>\d{{1,5}}) failed \(\d{{1,3}}: (?:Cannot assign requested address|Address not available)\)"
            rf"|could not bind IPv[46] address \"(?P<name_4>[0-9a-fA-F:.]{{2,45}})\": Cannot assign requested address"
            r"|bind on address \('(?P<name_5>[^']{1,60})', (?P<port_5>\d{1,5})[^)]{0,20}\): (?:\[errno 99\] )?[Cc]annot assign requested address"
            r"|cannot bind socket \((?:Cannot assign requested address|Address not available)\) (?:for )?\[(?P<name_6>[0-9a-fA-F:.]{2,45}):(?P<port_6>\d{1,5})\]"
            rf"|unable to bind to (?P<name_7>{HOST}):(?P<port_7>\d{{1,5}})/\d{{1,9}} [^\n]{{0,60}}: \(99\) Cannot assign requested address"
            r"|BindException: Cannot assign requested address|Bind on TCP/IP port: Cannot assign requested address"
            # An agent that looks for its interface by the node's address.
            r"|error looking up interface (?P<name_8>[0-9a-fA-F:.]{2,45}): No interface with given IP found"
        ),
        ("assign requested address", "EADDRNOTAVAIL", "Address not available", "No interface with given IP"),
        (
            Seen("Linux", "any", "errno(3), bind(2)"),
            Seen("Node.js", "8–24", "lib/net.js"),
            Seen("nginx", "1", "src/core/ngx_connection.c"),
            Seen("PostgreSQL", "8–18", "src/backend/libpq/pqcomm.c"),
            Seen("HAProxy", "1.5–3", "src/proto_tcp.c"),
            Seen("flannel", "0.10–0.27", "pkg/ip/iface.go (GetInterfaceByIP)"),
        ),
        (
            Example(
                "Failed to find any valid interface to use: error looking up interface 10.0.0.5: No interface with given IP found",
                "address-absent name=10.0.0.5",
            ),
            Example(
                "listen tcp 10.0.0.5:8080: bind: cannot assign requested address",
                "address-absent name=10.0.0.5 port=8080",
            ),
            Example(
                "Error: listen EADDRNOTAVAIL: address not available 10.1.2.3:3000",
                "address-absent name=10.1.2.3 port=3000",
            ),
            Example(
                "nginx: [emerg] bind() to 10.0.0.9:80 failed (99: Cannot assign requested address)",
                "address-absent name=10.0.0.9 port=80",
            ),
            Example("java.net.BindException: Cannot assign requested address", "address-absent"),
            Example(
                "-1  Processor -- bind unable to bind to 10.0.1.23:7300/0 on any port in range 6800-7300: (99) Cannot assign requested address",
                "address-absent name=10.0.1.23 port=7300",
            ),
        ),
    ),
)

_FILE = rf"(?<![\w/.:-])[\"'`]?(?P<path>{PATH}\.\w{{1,10}})\b"
NAMINGS: tuple[Naming, ...] = (Naming(words(_FILE), ("value-malformed",)),)
