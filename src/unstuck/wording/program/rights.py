"""Rights that a program finds too wide, and settings of the node's kernel that it finds too low or may not change."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import PATH, LastWord, words

_KEY = r"[a-z][a-z0-9_]{1,30}(?:[./][a-zA-Z0-9_-]{1,60}){1,6}"


def _find_file(n: str) -> str:
    return rf"[\"'‘“]?(?P<path{n}>{PATH}|[\w.-]{{1,80}}\.\w{{1,8}})[\"'’”]?"


WORDS: tuple[LastWord, ...] = (
    LastWord(
        "mode-refused",
        words(
            rf"data directory {_find_file('')} (?P<reason>has (?:invalid permissions|group or world access))"
            rf"|[Cc]ookie file {_find_file('_2')} (?P<reason_2>must be accessible by owner only)"
            rf"|(?P<reason_3>[Pp]ermissions 0?\d{{3}} for {_find_file('_3')} are too open)|(?P<reason_4>permissions on {_find_file('_4')} are too open)"
            rf"|private key file {_find_file('_5')} (?P<reason_5>has group or world access)"
            rf"|config file \({_find_file('_6')}\) (?P<reason_6>can only be writable by the owner but the permissions are \"[^\"]{{1,20}}\"|must be owned by [^,;]{{3,80}})"
            rf"|(?P<reason_7>[Bb]ad (?:ownership or modes|permissions) (?:for|on) (?:directory |file |component )?{_find_file('_7')})"
            rf"|(?:cannot access data directory: )?directory {_find_file('_8')},?\"?[drwxst-]{{0,12}}\"? (?P<reason_8>exist without desired file permission)"
        ),
        (
            *(
                "has invalid permissions",
                "has group or world access",
                "accessible by owner only",
                "are too open",
                "config file (",
            ),
            *("ad ownership or modes", "ad permissions", "desired file permission"),
        ),
        (
            Seen("PostgreSQL", "9–18", "src/backend/utils/init/miscinit.c, libpq/be-secure-common.c"),
            Seen("Erlang", "17–28", "lib/kernel/src/auth.erl"),
            Seen("OpenSSH", "3–10", "authfile.c, misc.c"),
            Seen("MongoDB", "3–8", "src/mongo/db/auth/security_file.cpp"),
            Seen("Beats", "5–9", "libbeat/common/file/fileinfo.go"),
            Seen("etcd", "3.3–3.6", "client/pkg/fileutil/fileutil.go"),
            Seen("Traefik", "1.7–3", "pkg/provider/acme/local_store_unix.go"),
        ),
        (
            Example(
                'FATAL:  data directory "/var/lib/postgresql/data" has invalid permissions',
                "mode-refused path=/var/lib/postgresql/data reason=has invalid permissions",
            ),
            Example(
                "[error] Cookie file /var/lib/rabbitmq/.erlang.cookie must be accessible by owner only",
                "mode-refused path=/var/lib/rabbitmq/.erlang.cookie reason=must be accessible by owner only",
            ),
            Example(
                "Permissions 0644 for '/etc/git-secret/ssh' are too open.",
                "mode-refused path=/etc/git-secret/ssh reason=Permissions 0644 for '/etc/git-secret/ssh' are too open",
            ),
            Example(
                "permissions on /etc/mongodb/keyfile are too open",
                "mode-refused path=/etc/mongodb/keyfile reason=permissions on /etc/mongodb/keyfile are too open",
            ),
            Example(
                'FATAL:  private key file "/tls/tls.key" has group or world access',
                "mode-refused path=/tls/tls.key reason=has group or world access",
            ),
            Example(
                'Exiting: error loading config file: config file ("filebeat.yml") can only be writable by the owner but the permissions are "-rw-rw-r--"',
                'mode-refused path=filebeat.yml reason=can only be writable by the owner but the permissions are "-rw-rw-r--"',
            ),
            Example(
                "Authentication refused: bad ownership or modes for directory /home/git",
                "mode-refused path=/home/git reason=bad ownership or modes for directory /home/git",
            ),
            Example(
                'cannot access data directory: directory "/bitnami/etcd/data","drwxrwsr-x" exist without desired file permission',
                "mode-refused path=/bitnami/etcd/data reason=exist without desired file permission",
            ),
        ),
    ),
    LastWord(
        "kernel-setting-low",
        words(
            rf"(?<![\w.])(?P<name>{_KEY}) \[?(?P<resource>\d{{1,15}})\]? is too low(?:, increase to at least \[?(?P<at>\d{{1,7}}))?"
        ),
        ("is too low",),
        (
            Seen("Elasticsearch", "5–9", "org/elasticsearch/bootstrap/BootstrapChecks.java"),
            Seen("OpenSearch", "1–3", "bootstrap"),
        ),
        (
            Example(
                "max virtual memory areas vm.max_map_count [65530] is too low, increase to at least [262144]",
                "kernel-setting-low at=262144 name=vm.max_map_count resource=65530",
            ),
            Example(
                "max virtual memory areas vm.max_map_count [65530] is too low",
                "kernel-setting-low name=vm.max_map_count resource=65530",
            ),
        ),
    ),
    LastWord(
        "kernel-setting-denied",
        words(
            rf"sysctl: (?P<reason>permission denied) on key [\"'](?P<name>{_KEY})[\"']"
            rf"|sysctl: (?:error )?setting key [\"'](?P<name_2>{_KEY})[\"'][:,]? ?(?P<reason_2>[Rr]ead-only file system|[Pp]ermission denied|[Oo]peration not permitted)"
            r"|\b(?:open|write) /proc/sys/(?P<name_3>[a-z][\w/.-]{2,120}): (?P<reason_3>permission denied|read-only file system|operation not permitted)"
        ),
        ("sysctl: ", " /proc/sys/"),
        (
            Seen("Go", "1.0–1.25", "src/io/fs/fs.go (PathError)"),
            Seen("procps", "3–4", "src/sysctl.c"),
            Seen("busybox", "1", "procps/sysctl.c"),
        ),
        (
            Example(
                'sysctl: permission denied on key "vm.max_map_count", ignoring',
                "kernel-setting-denied name=vm.max_map_count reason=permission denied",
            ),
            Example(
                "sysctl: error setting key 'net.core.somaxconn': Read-only file system",
                "kernel-setting-denied name=net.core.somaxconn reason=Read-only file system",
            ),
            Example(
                "open /proc/sys/net/ipv4/conf/all/route_localnet: read-only file system",
                "kernel-setting-denied name=net/ipv4/conf/all/route_localnet reason=read-only file system",
            ),
        ),
    ),
)
