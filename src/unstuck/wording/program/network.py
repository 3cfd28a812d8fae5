"""Names that do not resolve, and servers that do not answer.

The C library's messages (`strerror`, `gai_strerror`) reach the log in every language; the words around them are the language's own.
"""

from __future__ import annotations

from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError
from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import HOST, LastWord, Naming, words

_GAI = (
    r"(?:Name or service not known|Temporary failure in name resolution|No address associated with hostname|Name does not resolve"
    r"|nodename nor servname provided, or not known|Try again)"
)
_GAI_NEED = (
    "ame or service not known",
    "name resolution",
    "No address associated",
    "Name does not resolve",
    "nodename nor servname",
)

# A resolver's words if no answer came, or the server could not decide: they do not say that the name is
# wrong.
# EAI_AGAIN and its texts in glibc, musl and Python; Go src/net/dnsclient_unix.go (errServerMisbehaving, errors of the socket).
UNANSWERED = regex(
    r"\bEAI_AGAIN\b|Temporary failure in name resolution|\bTry again\b|server misbehaving|\bSERVFAIL\b|no servers could be reached"
    r"|\blookup \S{1,253}(?: on \S{1,64})?: (?:read udp|dial udp|i/o timeout)|:53: (?:i/o timeout|read: connection refused)"
)

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "name-unresolved",
        words(
            rf"\blookup (?P<name>{HOST})\.?(?: on \S{{1,64}})?: (?:no such host|server misbehaving|{_GAI}|read udp .{{1,80}}|dial udp .{{1,80}}|i/o timeout)"
        ),
        ("lookup ",),
        (Seen("Go", "1.0–1.25", "src/net/dnsclient_unix.go"),),
        (
            Example(
                "panic: dial tcp: lookup pg-primry.db.svc on 10.96.0.10:53: no such host",
                "name-unresolved name=pg-primry.db.svc",
            ),
            Example(
                'time="2026-11-21T03:00:00Z" level=fatal msg="dial tcp: lookup redis on 10.96.0.10:53: server misbehaving"',
                "name-unanswered name=redis",
            ),
        ),
    ),
    LastWord(
        "name-unresolved",
        words(rf"UnknownHostException: (?:Failed to resolve ['\"])?(?P<name>{HOST})"),
        ("UnknownHostException",),
        (
            Seen("Java", "8–25", "java.base/java/net/Inet4AddressImpl.c"),
            Seen("Netty", "4.1", "resolver/dns/DnsResolveContext.java"),
        ),
        (
            Example(
                "Caused by: java.net.UnknownHostException: orders-db: Name or service not known",
                "name-unresolved name=orders-db",
            ),
            Example(
                "java.net.UnknownHostException: kafka.queue.svc.cluster.local",
                "name-unresolved name=kafka.queue.svc.cluster.local",
            ),
        ),
    ),
    LastWord(
        "name-unresolved",
        words(rf"getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?P<name>{HOST})"),
        ("getaddrinfo E",),
        (Seen("Node.js", "0.10–24", "lib/dns.js"),),
        (
            Example("Error: getaddrinfo ENOTFOUND mongo", "name-unresolved name=mongo"),
            Example(
                "Error: getaddrinfo EAI_AGAIN api.shop.svc.cluster.local",
                "name-unanswered name=api.shop.svc.cluster.local",
            ),
        ),
    ),
    LastWord(
        "name-unresolved",
        words(
            rf"(?:could not translate host name|Failed to resolve|Unknown MySQL server host|[Cc]ould ?n(?:o|')t resolve (?:host(?:name)?|address|server)"
            rf"|unable to resolve host(?: address)?|(?<!\w)host not found in (?!type\b)\w{{1,30}}|[Bb]ad address|[Cc]annot resolve (?:host(?:name)?|address)?"
            rf"|getaddrinfo for)[: ]+[\"'‘`]?(?P<name>{HOST})(?::(?P<port>\d{{1,5}}))?"
        ),
        (
            *(
                "could not translate",
                "Failed to resolve",
                "Unknown MySQL server host",
                "resolve host",
                "resolve address",
                "resolve server",
            ),
            *("host not found in ", "ad address", "annot resolve", "getaddrinfo for"),
        ),
        (
            Seen("libpq", "8–17", "src/interfaces/libpq/fe-connect.c"),
            Seen("urllib3", "2", "src/urllib3/exceptions.py"),
            Seen("libmysqlclient", "5–9", "libmysql/errmsg.c"),
            Seen("curl", "7–8", "lib/hostip.c"),
            Seen("nginx", "1", "src/http/ngx_http_upstream.c"),
            Seen("busybox", "1", "libbb/xconnect.c"),
        ),
        (
            Example(
                'psycopg2.OperationalError: could not translate host name "db" to address: Name or service not known',
                "name-unresolved name=db",
            ),
            Example(
                'nginx: [emerg] host not found in upstream "backend:8080" in /etc/nginx/conf.d/default.conf:3',
                "name-unresolved name=backend port=8080",
            ),
            Example(
                'nginx: [emerg] host not found in resolver "dns.infra.svc.cluster.local" in /etc/nginx/nginx.conf:4',
                "name-unresolved name=dns.infra.svc.cluster.local",
            ),
            Example(
                "wget: bad address 'orders.prod.svc.cluster.local'",
                "name-unresolved name=orders.prod.svc.cluster.local",
            ),
            Example("curl: (6) Could not resolve host: auth.shop", "name-unresolved name=auth.shop"),
        ),
    ),
    LastWord(
        "name-unresolved",
        words(
            rf"(?:(?P<name>{HOST}):(?P<port>\d{{1,5}})\. |(?P<name_2>{HOST})(?::(?P<port_2>\d{{1,5}}))?: )?{_GAI}"
        ),
        _GAI_NEED,
        (Seen("glibc", "2", "posix/gai_strerror-strs.h"), Seen("musl", "1", "src/network/gai_strerror.c")),
        (
            Example(
                "redis.exceptions.ConnectionError: Error -2 connecting to redis:6379. Name or service not known.",
                "name-unresolved name=redis port=6379",
            ),
            Example(
                "Could not connect to Redis at cache:6379: Name or service not known",
                "name-unresolved name=cache port=6379",
            ),
            Example("socket.gaierror: [Errno -2] Name or service not known", "name-unresolved"),
        ),
        # busybox's nslookup, of the server that it was not given: it then asks for the name.
        unless=("can't resolve '(null)'",),
    ),
    LastWord(
        "not-tls",
        words(
            r"server gave HTTP response to HTTPS client|first record does not look like a TLS handshake|SSL: WRONG_VERSION_NUMBER|SSL routines:.{0,80}:wrong version number"
            r"|ssl3_get_record:wrong version number|Unsupported or unrecognized SSL message"
        ),
        (
            "HTTP response to HTTPS",
            "TLS handshake",
            "WRONG_VERSION",
            "wrong version number",
            "unrecognized SSL",
        ),
        (
            Seen("Go", "1.0–1.25", "src/net/http/transport.go"),
            Seen("OpenSSL", "1–3", "ssl/record/ssl3_record.c"),
        ),
        (
            Example(
                'Get "https://registry.local:5000/v2/": http: server gave HTTP response to HTTPS client',
                "not-tls name=registry.local port=5000",
            ),
            Example(
                "ssl.SSLError: [SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1007)", "not-tls"
            ),
        ),
    ),
    LastWord(
        "name-unanswered",
        # For a forwarding server: `name` is the queried name, `resource` the server that was asked.
        words(
            rf"(?:\b(?P<name>{HOST})\.? (?:A|AAAA|HINFO|SRV|PTR|TXT|MX|NS|CNAME|SOA|ANY): (?:unreachable backend: )?)?"
            r"\b(?:read|write) udp \S{4,80}->(?P<resource>(?:\d{1,3}\.){3}\d{1,3}|\[[0-9a-f:]{2,45}\]):53: (?:i/o timeout|(?:read|write): connection refused)"
        ),
        (":53: ",),
        (
            Seen("CoreDNS", "1.0–1.13", "plugin/errors/errors.go"),
            Seen("Go", "1.0–1.25", "src/net/net.go (OpError)"),
        ),
        (
            Example(
                "[ERROR] plugin/errors: 2 shop.example.com. AAAA: read udp 10.244.0.5:42424->192.0.2.53:53: i/o timeout",
                "name-unanswered name=shop.example.com resource=192.0.2.53",
            ),
            Example(
                "[ERROR] 2 shop.example.com. A: unreachable backend: read udp 10.244.0.5:42424->192.0.2.53:53: i/o timeout",
                "name-unanswered name=shop.example.com resource=192.0.2.53",
            ),
        ),
    ),
    LastWord(
        "server-not-ready",
        words(
            r"(?P<reason>the database system is (?:starting up|shutting down|in recovery mode|not yet accepting connections)|Redis is loading the dataset in memory"
            r"|BUSY Redis is busy running a script|Server shutdown in progress|the server is (?:still )?(?:starting(?: up)?|booting|initializing)"
            r"|[Cc]oordinator load(?: is)? in progress|[Cc]oordinator (?:is )?loading)\b"
        ),
        (
            *(
                "the database system is",
                "Redis is loading",
                "Redis is busy",
                "Server shutdown in progress",
                "the server is ",
                "oordinator ",
            ),
        ),
        (
            Seen(
                "PostgreSQL",
                "8–18",
                "src/backend/postmaster/postmaster.c, src/backend/tcop/backend_startup.c",
            ),
            Seen("Redis", "2–8", "src/server.c (shared.loadingerr)"),
            Seen("MySQL", "5–9", "share/messages_to_clients.txt (ER_SERVER_SHUTDOWN)"),
            Seen("Kafka", "0.8–4", "org/apache/kafka/common/protocol/Errors.java"),
        ),
        (
            Example(
                "org.postgresql.util.PSQLException: FATAL: the database system is starting up",
                "server-not-ready reason=the database system is starting up",
            ),
            Example(
                "LOADING Redis is loading the dataset in memory",
                "server-not-ready reason=Redis is loading the dataset in memory",
            ),
        ),
    ),
    LastWord(
        "connection-refused",
        words(
            r"[Cc]onnection refused|ECONNREFUSED|[Aa]ctively refused it"
            r"|[Cc]onnection to (?:the server )?\S{1,260} (?:was )?refused"
        ),
        ("onnection refused", "ECONNREFUSED", "ctively refused", "refused"),
        (
            Seen("Linux", "2–6", "include/uapi/asm-generic/errno.h"),
            Seen("pgjdbc", "42", "org/postgresql/core/v3/ConnectionFactoryImpl.java"),
            Seen("urllib3", "1–2", "urllib3/exceptions.py"),
            Seen("Go", "1.0–1.25", "src/net/http/transport.go"),
        ),
        (
            Example(
                "2026/11/21 03:00:00 dial tcp 10.96.12.7:5432: connect: connection refused",
                "connection-refused name=10.96.12.7 port=5432",
            ),
            Example(
                "Error: connect ECONNREFUSED 10.244.1.7:27017",
                "connection-refused name=10.244.1.7 port=27017",
            ),
            Example(
                'psql: error: connection to server at "db" (10.96.3.3), port 5432 failed: Connection refused',
                "connection-refused name=db port=5432",
            ),
            Example(
                "redis.exceptions.ConnectionError: Error 111 connecting to redis:6379. Connection refused.",
                "connection-refused name=redis port=6379",
            ),
            Example(
                "org.postgresql.util.PSQLException: Connection to orders-db:5432 refused. Check that the hostname and port are correct and that the postmaster is accepting TCP/IP connections.",
                "connection-refused name=orders-db port=5432",
            ),
            Example(
                "requests.exceptions.ConnectionError: HTTPConnectionPool(host='auth', port=8080): Max retries exceeded with url: / (Caused by NewConnectionError('<urllib3.connection.HTTPConnection object at 0x7f>: Failed to establish a new connection: [Errno 111] Connection refused'))",
                "connection-refused name=auth port=8080",
            ),
            Example(
                "The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?",
                "connection-refused name=10.0.0.1 port=6443",
            ),
            Example(
                "requests.exceptions.ProxyError: HTTPConnectionPool(host='10.0.0.9', port=3128): Max retries exceeded with url: http://prices.shop:8080/ (Caused by ProxyError('Cannot connect to proxy.', NewConnectionError('<urllib3.connection.HTTPConnection object at 0x7f>: Failed to establish a new connection: [Errno 111] Connection refused')))",
                "connection-refused name=10.0.0.9 port=3128",
            ),
            Example(
                'Get "http://prices.shop:8080/v1": proxyconnect tcp: dial tcp 10.0.0.9:3128: connect: connection refused',
                "connection-refused name=10.0.0.9 port=3128",
            ),
            # Envoy's logger writes the line of its own source first.
            Example(
                "warning envoy config external/envoy/source/extensions/grpc/grpc_stream.h:155 gRPC config stream to xds closed: 14, connection error: dial tcp: connect to istiod.istio-system.svc:15012: connection refused",
                "connection-refused name=istiod.istio-system.svc port=15012",
            ),
        ),
        # The kubelet's own check of its health: that it is not up shows in its log.
        unless=(":10248/healthz",),
    ),
    LastWord(
        "connection-timed-out",
        words(
            r"(?:[Cc]onnection|[Oo]peration|[Cc]onnect) timed out|\bETIMEDOUT\b|dial (?:tcp|udp).{0,300}: i/o timeout|[Nn]o route to host|EHOSTUNREACH"
            r"|[Nn]etwork is unreachable|ENETUNREACH|connect to \S{1,260}: timed out|ConnectTimeoutException|ConnectTimeoutError"
            # An exception of this name is thrown for anything that takes long; the line itself shows that it
            # is a connection.
            r"|Time[Oo]ut(?:Error|Exception)?: .{0,300}?(?:\b[Cc]onnect|\b[A-Za-z][\w.-]{0,60}:\d{2,5}\b|\d\.\d{1,3}:\d|://)"
            r"|[Tt]imeout connecting to|failed: timeout expired|\b[Rr]ead timed out"
            r"|://.{1,300}(?:context deadline exceeded|Client\.Timeout exceeded)"
            r"|[Cc]onnect\w{0,4}\b.{1,200}?\bno (?:answer|response|reply)\b"
        ),
        (
            "timed out",
            "ETIMEDOUT",
            "i/o timeout",
            "o route to host",
            "EHOSTUNREACH",
            "etwork is unreachable",
            "ENETUNREACH",
            "ConnectTimeout",
            "imeout connecting",
            "imeout expired",
            "Timeout",
            "TimeOut",
            "deadline exceeded",
            "no answer",
            "no response",
            "no reply",
        ),
        (
            Seen("Linux", "2–6", "include/uapi/asm-generic/errno.h"),
            Seen("Go", "1.0–1.25", "src/net/net.go"),
            Seen("redis-py", "4–6", "redis/connection.py"),
            Seen("PyMongo", "3–4", "pymongo/errors.py"),
            Seen("libpq", "8–17", "src/interfaces/libpq/fe-connect.c"),
        ),
        (
            Example(
                "failed to connect: dial tcp 10.96.0.55:443: i/o timeout",
                "connection-timed-out name=10.96.0.55 port=443",
            ),
            Example(
                "curl: (28) Failed to connect to billing port 8080 after 130000 ms: Connection timed out",
                "connection-timed-out name=billing port=8080",
            ),
            Example("Caused by: java.net.NoRouteToHostException: No route to host", "connection-timed-out"),
            Example(
                "redis.exceptions.TimeoutError: Timeout connecting to server cache:6379",
                "connection-timed-out name=cache port=6379",
            ),
            Example(
                "pymongo.errors.ServerSelectionTimeoutError: orders-db:27017: timed out (configured timeouts: connectTimeoutMS: 20000.0ms)",
                "connection-timed-out name=orders-db port=27017",
            ),
            Example(
                'psycopg2.OperationalError: connection to server at "db" (10.96.3.3), port 5432 failed: timeout expired',
                "connection-timed-out name=db port=5432",
            ),
            Example(
                "requests.exceptions.ReadTimeout: HTTPConnectionPool(host='auth', port=8080): Read timed out. (read timeout=5)",
                "connection-timed-out name=auth port=8080",
            ),
            Example(
                "sync: cannot connect to tides-db (10.96.7.7:6432): no response after 5 s",
                "connection-timed-out name=10.96.7.7 port=6432",
            ),
            Example(
                "fatal: connection to ledger:5672: no reply within 3000 ms",
                "connection-timed-out name=ledger port=5672",
            ),
            Example(
                'panic: Get "http://prices:8080/eur": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
                "connection-timed-out name=prices port=8080",
            ),
        ),
    ),
    LastWord(
        "address-in-use",
        words(
            r"^(?:Description: )?(?:Web server failed to start\. |Error: )Port (?P<port>\d{1,5}) (?:was|is) already in use\b"
        ),
        ("already in use",),
        (Seen("Spring Boot", "2–4", "web/server/PortInUseFailureAnalyzer.java"),),
        (
            Example("Web server failed to start. Port 8080 was already in use.", "address-in-use port=8080"),
            Example("Error: Port 3000 is already in use", "address-in-use port=3000"),
        ),
        own=True,
    ),
    LastWord(
        "address-in-use",
        words(
            r"[Aa]ddress (?:already )?in use|EADDRINUSE|[Pp]ort (?P<port>\d{1,5}) (?:was|is) already in use|Only one usage of each socket address"
            r"|Failed to bind to address \S{1,200}: address already in use"
        ),
        ("ddress already in use", "ddress in use", "EADDRINUSE", "already in use", "Only one usage"),
        (
            Seen("Linux", "2–6", "include/uapi/asm-generic/errno.h"),
            Seen("Spring Boot", "2–4", "web/server/PortInUseException.java"),
        ),
        (
            Example(
                "2026/11/21 03:00:00 listen tcp :8080: bind: address already in use",
                "address-in-use port=8080",
            ),
            Example("Error: listen EADDRINUSE: address already in use :::3000", "address-in-use port=3000"),
            Example("httpd: bind: Address already in use", "address-in-use"),
            Example("Web server failed to start. Port 8080 was already in use.", "address-in-use port=8080"),
        ),
    ),
)

# `file:line` of a program's own source is no address.
_NO_SOURCE = r"(?!\S{1,200}\.(?:c|h|cc|hh|cpp|hpp|cxx|go|py|js|jsx|ts|tsx|mjs|cjs|rs|java|kt|scala|rb|php|cs|ex|erl|lua|swift):\d)"
_REACH: tuple[ProgramError, ...] = (
    "connection-cut",
    "connection-refused",
    "connection-timed-out",
    "certificate-expired",
    "certificate-misnamed",
    "certificate-untrusted",
    "client-certificate-refused",
    "not-tls",
    "tls-wanted",
)
NAMINGS: tuple[Naming, ...] = (
    Naming(
        words(r":(?P<port>\d{2,5})(?=: bind| failed|\]|\)| \(|\s*$)|\b[Pp]ort (?P<port_2>\d{2,5})\b"),
        ("address-in-use",),
    ),
    *(
        Naming(words(pattern), _REACH)
        for pattern in (
            # Through a proxy, the URL is the server's behind it; the peer of the connection is read
            # separately.
            rf"ConnectionPool\(host=['\"](?P<name>{HOST})['\"], port=(?P<port>\d{{1,5}})\)",
            rf"\bproxyconnect tcp: dial tcp (?:\S{{1,80}}->)?(?P<name>{HOST}):(?P<port>\d{{1,5}})",
            rf"\b[a-z][a-z0-9+.-]{{1,20}}://(?:[^\s/@]{{1,200}}@)?(?P<name>{HOST})(?::(?P<port>\d{{1,5}}))?(?=[/\"'\s:?,]|$)",
            rf"\bdial (?:tcp|udp)[46]? (?:\S{{1,80}}->)?(?P<name>{HOST}):(?P<port>\d{{1,5}})",
            rf"[\"'](?P<name>{HOST})[\"'](?: \([^)]{{1,80}}\))?,? (?:(?:and|on) )?port[ =](?P<port>\d{{1,5}})",
            rf"(?:connect|connection|connecting)(?:\(2\))? (?:to|for) (?:the )?(?:server |host )?(?:at )?[\"']?(?P<name>{HOST})[\"']? port (?P<port>\d{{1,5}})",
            rf"\({_NO_SOURCE}(?P<name>{HOST}):(?P<port>\d{{1,5}})\)",
            rf"(?P<name>{HOST})/[\d.]{{7,15}}:(?P<port>\d{{1,5}})",
            rf"(?:\b(?:to|at|server|host|remote|upstream|from|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)|[\s/\"'\[(])[ :]*[\"'/]?{_NO_SOURCE}(?P<name>(?=[^:]*[A-Za-z.]){HOST}):(?P<port>\d{{1,5}})\b(?!:\w)",
            rf"\w[Tt]ime[Oo]ut(?:Error|Exception)?: {_NO_SOURCE}(?P<name>{HOST}):(?P<port>\d{{1,5}})\b",
            rf"host[ \"]?[=:] ?[\"'](?P<name>{HOST})[\"']",
            rf"(?:remote host|server on|connect to|server at) [\"'(](?P<name>{HOST})[\"')]",
        )
    ),
)
