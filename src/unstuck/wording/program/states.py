"""The state of a program's environment, for any program: an unfinished schema migration, backends of which none is
ready, a sealed or disabled component, a name in use, a command that ended with an error, a TLS port that is called
without TLS.

The grammar of the clause decides: the subject, its state, and its holder. Words specific to one program count in any
line; all others only in a line that is written as an error.
"""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import ANY_PROGRAM, HOST, PATH, LastWord, Naming, words

_WORD = r"[A-Za-z][A-Za-z-]{1,30}"
_NO_SORT = (
    r"(?!(?:and|or|but|the|an?|this|that|it|there|is|was|are|were|of|in|on|at|to|for|with|by|error|reason|message|status|request|response"
    r"|connection|stream|channel|socket|context|body|process|command|container|pod|node|client|lock|file|path|address|port)\b)"
)
_SORT = rf"{_NO_SORT}{_WORD}(?: {_NO_SORT}{_WORD}){{0,2}}"
_NAMED = r"[\"'“]?(?P<name{n}>[\w@*-][\w.:/@*-]{{0,120}}[\w*])[\"'”]?"
# Programs' words for a ready part.
_FIT = (
    r"(?:healthy|ready|available|live|alive|active|running|eligible|suitable|usable|reachable|online|in-sync|schedulable"
    r"|registered|running and ready)"
)
_PARTS = (
    r"(?:(?:[a-z][a-z-]{1,20} )?(?:replicas?|brokers?|members?|instances?|servers?|shards?|peers?|workers?|executors?|agents?|managers?|controllers?"
    r"|datanodes?|masters?|primar(?:y|ies)|standbys?|voters?|ingesters?|monitors?|OSDs?|osds?|mons?|runners?|slots?|disks?|bricks?|stores?|tablets?"
    r"|nodes?|targets?|providers?|schedulers?|devices?))"
)
_CODE = r"(?:exit(?:ed)?|return(?:ed)?|exit/return)"

TLS_WANTED = LastWord(
    "tls-wanted",
    words(
        rf"(?:TLS handshake error (?P<verb>from) (?P<name>{HOST}):\d{{1,5}}: )?(?P<reason>[Cc]lient sent an HTTP request to an HTTPS server"
        r"|[Tt]he plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL-enabled server port"
        r"|malformed HTTP (?:response|status code|version) \"\\{1,2}x15\\{1,2}x03[^\"]{0,60}\"|combination of host and port requires TLS"
        r"|SSL routines:[\w:]{0,60}:http request\b|NotSslRecordException: not an SSL/TLS record: (?:474554|504f5354|48454144|505249))"
    ),
    (
        "HTTP request to an HTTPS",
        "HTTP request was sent to HTTPS",
        "SSL-enabled server port",
        "malformed HTTP ",
        "port requires TLS",
        ":http request",
        "NotSslRecord",
    ),
    (
        Seen("Go", "1.11–1.25", "src/net/http/server.go, src/net/http/transport.go"),
        Seen("nginx", "0.7–1.29", "src/http/ngx_http_special_response.c"),
        Seen("Apache httpd", "2", "modules/ssl/ssl_engine_io.c"),
        Seen("Tomcat", "8–11", "coyote/http11/LocalStrings.properties"),
        Seen("OpenSSL", "1–3", "ssl/record/ssl3_record.c"),
        Seen("Netty", "4", "handler/ssl/SslHandler.java"),
    ),
    (
        Example(
            "http: TLS handshake error from 10.244.3.1:40122: client sent an HTTP request to an HTTPS server",
            "tls-wanted name=10.244.3.1 reason=client sent an HTTP request to an HTTPS server verb=from",
        ),
        Example(
            "400 The plain HTTP request was sent to HTTPS port",
            "tls-wanted reason=The plain HTTP request was sent to HTTPS port",
        ),
        Example(
            'Get http://api.shop.svc:6443/api: malformed HTTP response "\\x15\\x03\\x01\\x00\\x02\\x02"',
            'tls-wanted name=api.shop.svc port=6443 reason=malformed HTTP response "\\x15\\x03\\x01\\x00\\x02\\x02"',
        ),
    ),
    own=True,
)

MIGRATION = LastWord(
    "migration-open",
    words(
        r"(?P<reason>Detected failed (?:migration to version|repeatable migration:?) (?P<name>[\w.-]{1,60})"
        r"|Migration checksum mismatch for migration(?: version)? (?P<name_2>[\w.]{1,60})"
        r"|Migrations have failed validation|Detected (?:applied|resolved) migration not (?:resolved locally|applied to database): (?P<name_3>[\w.]{1,60})"
        r"|Dirty database version (?P<name_4>-?\d{1,20})\. Fix and force version"
        r"|You have \d{1,6} unapplied migration\(s\)|[Mm]igrations are pending|(?:[Dd]atabase )?[Mm]igrations? (?:are|is) still pending"
        r"|still unapplied migrations after \d{1,9} seconds|migrate found failed migrations in the target database"
        r"|[Cc]an't locate revision identified by '(?P<name_5>\w{4,60})'|Migration failed for change ?set (?P<name_6>[^\s:]{1,300}(?:::[^\s:]{1,120}){0,2})"
        r"|\d{1,6} changesets? check sum|(?:database|schema) (?:schema )?(?:version |is )?(?:is )?(?:out of date|not up[- ]to[- ]date|behind|outdated)\b[^\"]{0,100})"
    ),
    (
        *("ailed migration", "checksum mismatch for migration", "igrations have failed validation"),
        *("migration not ", "Dirty database version", "unapplied migration", "igrations are pending"),
        *(" still pending", "failed migrations", "locate revision", "failed for change", "check sum"),
        *("out of date", "up-to-date", "up to date", "behind", "outdated"),
    ),
    (
        Seen("Flyway", "4–11", "flyway-core: FlywayValidateException, DbMigrate.java, DbValidate.java"),
        Seen("golang-migrate", "3–4", "migrate.go (ErrDirty)"),
        Seen("Django", "1.7–5", "core/management/base.py (check_migrations)"),
        Seen("Rails", "4–8", "activerecord/lib/active_record/migration.rb (PendingMigrationError)"),
        Seen("Airflow", "1.10–3", "airflow/utils/db.py (check_migrations)"),
        Seen("Prisma", "2–6", "migrate: P3009"),
        Seen("Alembic", "0.6–1", "alembic/script/revision.py"),
        Seen("Liquibase", "3–4", "changelog/ChangeSet.java, ValidatingVisitor.java"),
    ),
    (
        Example(
            "Detected failed migration to version 7 (add carts). Please remove any half-completed changes then run repair to fix the schema history.",
            "migration-open name=7 reason=Detected failed migration to version 7",
        ),
        Example(
            "Migration checksum mismatch for migration version 4.1",
            "migration-open name=4.1 reason=Migration checksum mismatch for migration version 4.1",
        ),
        Example(
            "error: Dirty database version 31. Fix and force version.",
            "migration-open name=31 reason=Dirty database version 31. Fix and force version",
        ),
        Example(
            "ActiveRecord::PendingMigrationError: Migrations are pending.",
            "migration-open reason=Migrations are pending",
        ),
        Example(
            "alembic.util.exc.CommandError: Can't locate revision identified by '4f1c2ab90d3e'",
            "migration-open name=4f1c2ab90d3e reason=Can't locate revision identified by '4f1c2ab90d3e'",
        ),
    ),
    own=True,
)

LOCK_OF_SOMEBODY = LastWord(
    "lock-held",
    words(
        r"(?P<resource>change ?log lock)\b.{0,20}? Currently locked by (?P<name>[^\s()]{1,253}(?: \([\w.:]{2,60}\))?)(?: since (?P<reason>[^\"]{4,40}\w))?"
        r"|(?P<resource_2>repository) is already locked (?:exclusively )?by (?P<name_2>PID \d{1,10} on [\w.-]{1,253})"
        r"|\b(?P<resource_3>(?:[a-z][a-z-]{1,30} )?lock)(?: on \S{1,200})? (?:is )?(?:currently |already )?(?:held|owned) by (?:another \w{1,30} )?[\"'(]?(?P<name_3>[\w.@:/-]{2,253})"
    ),
    ("locked by ", "locked exclusively by ", " held by ", " owned by "),
    (
        Seen("Liquibase", "1.9–4", "lockservice/StandardLockService.java"),
        Seen("restic", "0.5–0.18", "internal/restic/lock.go"),
        ANY_PROGRAM,
    ),
    (
        Example(
            "liquibase.exception.LockException: Could not acquire change log lock.  Currently locked by till-6d4-x2x9p (10.1.2.3) since 1/2/26, 9:11 AM",
            "lock-held name=till-6d4-x2x9p (10.1.2.3) reason=1/2/26, 9:11 AM resource=change log lock",
        ),
        Example(
            "Fatal: unable to create lock in backend: repository is already locked by PID 41 on till-0 by root (UID 0, GID 0)",
            "lock-held name=PID 41 on till-0 resource=repository",
        ),
        Example(
            "Error: migration lock is held by worker-3",
            "lock-held name=worker-3 resource=migration lock",
        ),
    ),
    marked=True,
)

TAKEN = LastWord(
    "name-taken",
    words(
        rf"(?P<reason>creating (?:an? )?(?P<resource>ephemeral(?: node)?) at (?P<name>{PATH}), node already exists and owner '?\d{{1,20}}'? does not match current session '?\d{{1,20}}'?)"
        rf"|(?P<reason_2>\b(?P<resource_2>{_SORT}):? (?:with (?:the )?(?:id|ID|name) )?(?!(?:is|was|has|been) ){_NAMED.format(n='_2')} (?:is |was |has )?(?:been )?already (?:exists?|in use|taken|registered|running|defined|connected|assigned|allocated|attached|used)\b[^\"]{{0,100}})"
        r"|(?P<reason_4>\b(?P<resource_4>[\w./-]{2,253}) is already (?:controlled|owned|managed) by (?P<name_4>[A-Z]\w{1,80} [\w./-]{1,253}\w))"
        rf"|(?P<reason_3>\b[Dd]uplicate (?P<resource_3>{_SORT}):? {_NAMED.format(n='_3')})(?= *[\"'.,;]| in\b|$)"
    ),
    ("already ", "uplicate "),
    (
        Seen("Kafka", "1–3", "core/src/main/scala/kafka/zk/KafkaZkClient.scala (CheckedEphemeral)"),
        Seen("Crossplane", "1–2", "internal/controller/pkg/revision/establisher.go"),
        ANY_PROGRAM,
    ),
    (
        Example(
            "ERROR Error while creating ephemeral at /brokers/ids/3, node already exists and owner '72' does not match current session '73' (kafka.zk.KafkaZkClient)",
            "name-taken name=/brokers/ids/3 reason=creating ephemeral at /brokers/ids/3, node already exists and owner '72' does not match current session '73'"
            " resource=ephemeral",
        ),
        Example(
            "cannot establish control of object: tills.shop.example.com is already controlled by ProviderRevision till-a-7c1 (UID 2f3c)",
            "name-taken name=ProviderRevision till-a-7c1 reason=tills.shop.example.com is already controlled by ProviderRevision till-a-7c1 resource=tills.shop.example.com",
        ),
        Example(
            'Error: subnet "10.8.0.0/16" is already in use',
            'name-taken name=10.8.0.0/16 reason=subnet "10.8.0.0/16" is already in use resource=subnet',
        ),
        Example(
            "level=error msg=\"duplicate receiver name: 'pager'\"",
            "name-taken name=pager reason=duplicate receiver name: 'pager' resource=receiver name",
        ),
    ),
    unless=("address already", "AlreadyExists", "ImagePull", "skipping", "ignoring"),
    marked=True,
)

VAULT = LastWord(
    "state-refused",
    words(r"(?P<reason>\b(?P<resource>Vault) is (?P<verb>sealed|not initialized))\b"),
    ("Vault is ",),
    (Seen("Vault", "0.1–1.20", "sdk/consts/error.go (ErrSealed), vault/core.go"),),
    (
        Example(
            "URL: GET http://keys:8200/v1/secret/data/till Code: 503. Errors: * Vault is sealed",
            "state-refused reason=Vault is sealed resource=Vault verb=sealed",
        ),
        Example(
            "* Vault is not initialized",
            "state-refused reason=Vault is not initialized resource=Vault verb=not initialized",
        ),
    ),
    own=True,
)

SEALED = LastWord(
    "state-refused",
    words(
        rf"(?P<reason>\b(?P<resource>{_SORT})(?: {_NAMED.format(n='')})? is (?:currently |still |already )?(?P<verb>sealed|disabled|not enabled|not (?:yet )?initiali[sz]ed|uninitiali[sz]ed"
        r"|suspended|paused|locked|frozen|in maintenance(?: mode)?|read-only|read only|being deleted|terminating))(?=[\"'.,;)\s]|$)"
    ),
    (
        *(" sealed", " disabled", " enabled", "initiali", " suspended", " paused", " locked", " frozen"),
        *(" maintenance", " read-only", " read only", " deleted", " terminating"),
    ),
    (ANY_PROGRAM,),
    (
        Example(
            "Error: queue orders is paused",
            "state-refused reason=queue orders is paused resource=queue orders verb=paused",
        ),
        Example(
            'level=error msg="feature autopilot is not enabled"',
            "state-refused reason=feature autopilot is not enabled resource=feature autopilot verb=not enabled",
        ),
    ),
    unless=(
        "read-only file system",
        "Forbidden: ",
        "skipping",
        "ignoring",
        "possible that",
        "whether ",
        "ake sure",
        " if ",
        " may ",
        "might ",
    ),
    marked=True,
)

UNREADY = LastWord(
    "parts-unready",
    words(
        rf"(?P<reason>\b[Nn]o (?:{_FIT} )(?P<resource>{_PARTS})\b[^\":]{{0,80}}"
        rf"|\b[Nn]o (?P<resource_2>{_PARTS}) (?:are |is )?(?:currently )?{_FIT}\b[^\":]{{0,60}}"
        rf"|\b[Nn]ot enough (?:{_FIT} )?(?P<resource_3>{_PARTS})\b[^\"]{{0,120}}"
        rf"|\b(?:all|none of the|some) (?P<resource_4>{_PARTS}) (?:are |is |have )?(?:{_FIT}|down|failed|faulted|unavailable|unhealthy|unreachable|offline)\b[^\":]{{0,60}}"
        rf"|\b[Rr]eplication factor: \d{{1,4}} larger than available (?P<resource_5>brokers): \d{{1,4}}"
        rf"|\bat least \d{{1,4}} (?:{_FIT} )?(?P<resource_6>{_PARTS}) (?:required|needed|must be)\b[^\":]{{0,60}})"
    ),
    ("o ", "ot enough ", "all ", "none of the ", "some ", "eplication factor", "at least "),
    (
        Seen("Longhorn", "0.5–1.9", "longhorn-manager controller/volume_controller.go"),
        Seen("Kafka", "0.10–4", "org/apache/kafka/common/errors, admin/AdminUtils.scala"),
        ANY_PROGRAM,
    ),
    (
        Example(
            "Error syncing volume lh/pvc-7: fail to reconcile volume state for pvc-7: no healthy replica for starting",
            "parts-unready name=volume lh/pvc-7 reason=no healthy replica for starting resource=replica",
        ),
        Example(
            "ERROR Replication factor: 3 larger than available brokers: 1",
            "parts-unready reason=Replication factor: 3 larger than available brokers: 1 resource=brokers",
        ),
        Example(
            "Error: not enough ready members to elect a leader",
            "parts-unready reason=not enough ready members to elect a leader resource=members",
        ),
    ),
    unless=("nodes available to schedule", "nodes are available", "upstream", "0/"),
    marked=True,
)

CUT = LastWord(
    "connection-cut",
    words(
        r"(?:->(?P<name>(?:\d{1,3}\.){3}\d{1,3}):(?P<port>\d{1,5}): (?:read|write): )?(?P<reason>\b[Cc]onnection reset by peer\b|\bECONNRESET\b|\bsocket hang up\b|[Ss]erver closed the connection unexpectedly|SSL SYSCALL error: EOF detected"
        r"|\bLost connection to (?:MySQL|MariaDB) server (?:during query|at '[^']{1,60}')|MySQL server has gone away|\bConnection closed prematurely\b"
        r"|\btransport is closing\b|(?:^|: )(?:write|writev): [Bb]roken pipe\b|\bBroken pipe \(Write failed\)|\bEPIPE\b|: unexpected EOF(?=[\"'.,;)]|$)"
        r"|Remote end closed connection without response|\b[Ee]mpty reply from server\b|Connection aborted\.|closed by remote host\b)"
    ),
    (
        *(
            "eset by peer",
            "ECONNRESET",
            "socket hang up",
            "closed the connection",
            "EOF",
            "ost connection to",
        ),
        *("gone away", "closed prematurely", "transport is closing", "roken pipe", "EPIPE"),
        *("Remote end closed", "mpty reply", "Connection aborted", "by remote host"),
    ),
    (
        Seen("Linux", "2–6", "include/uapi/asm-generic/errno.h"),
        Seen("PostgreSQL", "8–18", "src/interfaces/libpq/fe-misc.c"),
        Seen("MySQL", "5–9", "include/errmsg.h"),
        Seen("Node.js", "0.10–24", "lib/_http_client.js"),
        Seen("grpc-go", "1", "internal/transport/transport.go (ErrConnClosing)"),
        Seen("CPython", "3", "Lib/http/client.py"),
        Seen("curl", "7–8", "lib/strerror.c"),
    ),
    (
        Example(
            "Error: read tcp 10.244.1.5:42424->10.96.0.12:5432: read: connection reset by peer",
            "connection-cut name=10.96.0.12 port=5432 reason=connection reset by peer",
        ),
        Example(
            "psycopg2.OperationalError: server closed the connection unexpectedly",
            "connection-cut reason=server closed the connection unexpectedly",
        ),
        Example("Error: socket hang up", "connection-cut reason=socket hang up"),
    ),
    unless=("robe failed", "Pulling", "ull image", "blob", "registry", "TLS handshake error", "tls:"),
    marked=True,
)

KILLED = LastWord(
    "child-killed",
    words(r"\b(?:Memory cgroup o|O)ut of memory: Kill(?:ed)? process \d{1,10} \((?P<name>[^()]{1,64})\)"),
    ("ut of memory: Kill",),
    (Seen("Linux", "2.6–6.12", "mm/oom_kill.c (__oom_kill_process)"),),
    (
        Example(
            "kernel: Memory cgroup out of memory: Kill process 23 (till) score 1033 or sacrifice child",
            "child-killed name=till",
        ),
        Example(
            "Out of memory: Killed process 4711 (java) total-vm:8221844kB, anon-rss:1195384kB",
            "child-killed name=java",
        ),
    ),
    own=True,
)

CHILD = LastWord(
    "child-failed",
    words(
        rf"(?P<reason>[`'\"(](?P<name>[^`'\"()]{{2,300}})[`'\")]\)? (?:failed|exited|terminated|finished|returned)(?: with)?(?: an?)?(?: non-zero)?:? (?:{_CODE} )?(?:status|code):? (?P<at>\d{{1,3}}))\b(?!: \S)"
        r"|(?P<reason_5>\b(?:[Ss]cript|[Hh]ook|[Cc]ommand|[Pp]rocess|[Pp]rogram|[Bb]inary)(?: script)?(?: at)? ['\"`](?P<name_5>[^'\"`]{2,300})['\"`](?: running command '[^']{1,120}')? (?:did not (?:execute|run|complete|finish|exit) successfully|(?:has )?failed\b))"
        r"|(?P<reason_2>\bCommand '\[?(?P<name_2>[^\n]{2,300}?)\]?' returned non-zero exit status (?P<at_2>\d{1,3}))"
        r"|(?P<reason_6>[`'\"](?P<name_6>[^`'\"]{2,300})[`'\"] failed timeout after (?P<verb_6>\d[\dhms.]{0,11}))"
        r"|(?P<reason_3>\bWORKER TIMEOUT \((?P<name_3>pid: ?\d{1,10})\))"
        r"|(?P<reason_4>Executor (?:\S{1,60} )?reports? (?:that the )?task instance (?P<name_4><?\S.{0,200}?>?)? ?finished \((?P<verb_4>\w{3,20})\) although the task says (?:it(?:'s| is)|its) \(?[\w ]{0,20}\b(?P<resource_4>queued|running|scheduled))"
    ),
    ("status", "code", "WORKER TIMEOUT", "although the task says", " successfully", " failed"),
    (
        Seen("Argo CD", "1–3", "util/exec/exec.go"),
        Seen("CPython", "3", "Lib/subprocess.py (CalledProcessError)"),
        Seen("Gunicorn", "0.17–23", "gunicorn/arbiter.py (murder_workers)"),
        Seen("Airflow", "1.10–2", "airflow/jobs/scheduler_job.py"),
    ),
    (
        Example(
            'level=fatal msg="`gpg --batch --gen-key /tmp/a` failed exit status 2"',
            "child-failed at=2 name=gpg --batch --gen-key /tmp/a reason=`gpg --batch --gen-key /tmp/a` failed exit status 2",
        ),
        Example(
            "subprocess.CalledProcessError: Command '['dbt', 'run']' returned non-zero exit status 1.",
            "child-failed at=1 name='dbt', 'run' reason=Command '['dbt', 'run']' returned non-zero exit status 1",
        ),
        Example(
            "System.Exception: The hook script at '/runner/k8s/index.js' running command 'RunStep' did not execute successfully",
            "child-failed name=/runner/k8s/index.js reason=hook script at '/runner/k8s/index.js' running command 'RunStep' did not execute successfully",
        ),
        Example(
            "rpc error: code = Unknown desc = `helm dependency build` failed timeout after 1m30s",
            "child-failed name=helm dependency build reason=`helm dependency build` failed timeout after 1m30s verb=1m30s",
        ),
        Example(
            "[2026-11-21 03:00:00 +0000] [7] [CRITICAL] WORKER TIMEOUT (pid:19)",
            "child-failed name=pid:19 reason=WORKER TIMEOUT (pid:19)",
        ),
    ),
    marked=True,
)

# Before the words of networks and of wrong answers; the rest after all that names more.
FIRST: tuple[LastWord, ...] = (TLS_WANTED, MIGRATION, VAULT, LOCK_OF_SOMEBODY, KILLED)
LAST: tuple[LastWord, ...] = (SEALED, TAKEN, UNREADY, CHILD, CUT)
NAMINGS: tuple[Naming, ...] = (
    # Whose parts they are.
    Naming(
        words(
            r"\b(?P<name>(?:[Vv]olume|[Cc]luster|[Tt]opic|[Ii]ndex|[Ss]hard|[Pp]ool|[Rr]eplica ?[Ss]et|[Bb]ackup|[Rr]egion) [\"']?[a-z0-9][\w./-]{1,200}\w)"
        ),
        ("parts-unready",),
    ),
)
