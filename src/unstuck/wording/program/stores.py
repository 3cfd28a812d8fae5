"""Words of databases, queues and their clients about data directories, connections, sizes and write access."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import PATH, LastWord, words

_ID = r"[\w-]{3,60}"
_POSTGRES = Seen("PostgreSQL", "8–18", "src/backend/utils/init")
_MYSQL = Seen("MySQL", "5–9", "share/messages_to_error_log.txt, messages_to_clients.txt")
_KAFKA = Seen("Kafka", "2–4", "core/src/main/scala/kafka/server, storage/internals/log/LogManager.java")
_MONGO = Seen("MongoDB", "3–8", "src/mongo/db")

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "data-foreign",
        words(
            rf"(?P<reason>request cluster ID mismatch(?: \(got (?P<name>{_ID}) want (?P<resource>{_ID})\))?|request sent was ignored[^\"]{{0,40}}cluster ID mismatch)"
            r"|(?P<reason_2>the member has been permanently removed from the cluster|the data-dir used by this member must be removed"
            r"|member (?P<name_2>[0-9a-f]{8,20}) has already been bootstrapped)"
            rf"|(?P<reason_3>The Cluster ID (?P<name_3>{_ID}) doesn't match stored clusterId (?:Some\()?(?P<resource_3>{_ID})\)?)"
            rf"|(?P<reason_4>Invalid cluster\.id in: (?P<path>{PATH})\. Expected (?P<name_4>{_ID}), but read (?P<resource_4>{_ID}))"
            r"|(?P<reason_5>Configured (?:broker|node)\.?[iI]d \d{1,9} doesn't match stored (?:broker|node)\.?[iI]d [\w()]{1,20})"
            rf"|(?P<reason_6>join validation on cluster state with a different cluster uuid (?P<name_6>{_ID}) than local cluster uuid (?P<resource_6>{_ID}))"
            r"|(?P<reason_7>Saved cluster name .{1,80}? != configured name .{1,80}?\S)(?=\s|$)"
            rf"|(?P<reason_8>Incompatible clusterIDs in (?P<path_8>{PATH}): namenode clusterID = (?P<name_8>{_ID}); datanode clusterID = (?P<resource_8>{_ID}))"
            r"|(?P<reason_9>client cluster ID \"[^\"]{1,60}\" doesn't match server cluster ID \"[^\"]{1,60}\")"
            r"|(?P<reason_10>replica set IDs do not match, ours: \w{1,60}; remote node's: \w{1,60})"
            r"|(?P<reason_11>(?:cluster ID|mismatch cluster id|cluster id mismatch)[^\"]{0,40}?local_id[ :=]{1,3}\d{1,30},? remote_id[ :=]{1,3}\d{1,30})"
        ),
        (
            *(
                "luster ID",
                "cluster id",
                "permanently removed from the cluster",
                "must be removed",
                "already been bootstrapped",
                "cluster.id",
                "doesn't match stored",
            ),
            *("cluster uuid", "Saved cluster name", "clusterIDs", "replica set IDs"),
        ),
        (
            Seen(
                "etcd",
                "2–3.6",
                "server/etcdserver/api/rafthttp/http.go, stream.go, server/etcdserver/server.go",
            ),
            _KAFKA,
            Seen("Elasticsearch", "7–9", "cluster/coordination/JoinHelper.java"),
            Seen("Cassandra", "1–5", "db/SystemKeyspace.java"),
            Seen("Hadoop", "2–3", "hdfs/server/datanode/DataStorage.java"),
            Seen("CockroachDB", "2–25", "pkg/rpc/context.go"),
            _MONGO,
            Seen("TiKV", "3–8", "components/pd_client/src/util.rs"),
        ),
        (
            Example(
                "2017-01-16 19:10:10.474495 E | rafthttp: request cluster ID mismatch (got 59a8a5efa102 want 7e27652122e8b2ae)",
                "data-foreign name=59a8a5efa102 reason=request cluster ID mismatch (got 59a8a5efa102 want 7e27652122e8b2ae) resource=7e27652122e8b2ae",
            ),
            Example(
                '{"level":"warn","caller":"rafthttp/stream.go:653","msg":"request sent was ignored by remote peer due to cluster ID mismatch"}',
                "data-foreign reason=request sent was ignored by remote peer due to cluster ID mismatch",
            ),
            Example(
                '"msg":"discovery failed","error":"member 8e9e05c52164694d has already been bootstrapped"',
                "data-foreign name=8e9e05c52164694d reason=member 8e9e05c52164694d has already been bootstrapped",
            ),
            Example(
                "etcd: the data-dir used by this member must be removed.",
                "data-foreign reason=the data-dir used by this member must be removed",
            ),
            Example(
                "kafka.common.InconsistentClusterIdException: The Cluster ID mtrImbVDTm-jUIEpt8 doesn't match stored clusterId Some(OivcewOYSn2m-mUMUM) in meta.properties.",
                "data-foreign name=mtrImbVDTm-jUIEpt8 reason=The Cluster ID mtrImbVDTm-jUIEpt8 doesn't match stored clusterId Some(OivcewOYSn2m-mUMUM)"
                " resource=OivcewOYSn2m-mUMUM",
            ),
            Example(
                "java.io.IOException: Incompatible clusterIDs in /hadoop/dfs/data: namenode clusterID = CID-1a; datanode clusterID = CID-2b",
                "data-foreign name=CID-1a path=/hadoop/dfs/data reason=Incompatible clusterIDs in /hadoop/dfs/data: namenode clusterID = CID-1a;"
                " datanode clusterID = CID-2b resource=CID-2b",
            ),
        ),
        unless=("[ERROR Dir",),
    ),
    LastWord(
        "data-in-use",
        words(
            rf"(?P<reason>Unable to lock the lock file: (?P<path>{PATH})|DBPathInUse)"
            r"|(?P<reason_2>InnoDB(?::|\]) Unable to lock (?P<path_2>\./[\w.-]{1,80})[,:]? error: 11)"
            rf"|(?P<reason_3>Failed to acquire lock on file (?P<path_3>{PATH}\.lock) ?in|Failed to acquire lock on file \.lock in (?P<path_4>{PATH}))"
            r"|(?P<reason_5>lock DB directory: resource temporarily unavailable)"
            r"|(?P<reason_6>lock file \"(?P<path_6>[^\"]{0,200}postmaster\.pid)\" already exists)"
            rf"|(?P<reason_7>(?:[Ww]hile lock file|IO error: lock|cannot lock file|lock):? (?P<path_7>{PATH}/LOCK): [Rr]esource temporarily unavailable)"
            rf"|(?P<reason_8>Lock file has been locked by another process: (?P<path_8>{PATH}))"
            rf"|(?P<reason_9>Cannot acquire directory lock on \"?(?P<path_9>{PATH})\"?\. {{1,2}}Another process is using this)"
            r"|(?P<reason_10>Database may be already in use)"
            rf"|(?P<reason_11>Lock held by (?:another program|this virtual machine): (?P<path_11>{PATH}))"
            rf"|(?P<reason_12>failed to obtain node locks, tried \[+(?P<path_12>{PATH})\]+)"
            r"|(?P<reason_13>OverlappingFileLockException)|(?:OperationalError: |\b[Ee]rr(?:or)?[=:]\s?\"?)(?P<reason_14>database is locked)"
            rf"|(?P<reason_16>A server is already running\. Check (?P<path_16>{PATH}\.pid))"
            r"|(?P<reason_15>[Uu]nable to (?:acquire|obtain) (?:the )?(?:exclusive )?(?:file ?)?lock[^\n]{0,120}?: [Rr]esource temporarily unavailable)"
        ),
        (
            *(
                "lock the lock file",
                "DBPathInUse",
                "Unable to lock ./",
                "server is already running",
                "acquire lock on file",
                "lock DB directory",
                "postmaster.pid",
            ),
            *(
                "/LOCK: ",
                "Lock file has been locked",
                "directory lock on",
                "may be already in use",
                "Lock held by",
            ),
            *("obtain node locks", "OverlappingFileLock", "database is locked", " lock"),
        ),
        (
            _MONGO,
            _MYSQL,
            _KAFKA,
            Seen("Prometheus", "2–3", "tsdb/db.go, tsdbutil/dir_locker.go"),
            _POSTGRES,
            Seen("LevelDB, RocksDB", "1–9", "util/env_posix.cc, env/fs_posix.cc"),
            Seen("Badger", "1–4", "dir_unix.go"),
            Seen("H2", "1–2", "org/h2/res/_messages_en.prop"),
            Seen("Lucene", "5–10", "store/NativeFSLockFactory.java"),
            Seen("Rails", "3–8", "railties/lib/rails/commands/server/server_command.rb"),
        ),
        (
            Example(
                "[ERROR] [MY-012574] [InnoDB] Unable to lock ./ibdata1 error: 11",
                "data-in-use path=./ibdata1 reason=InnoDB] Unable to lock ./ibdata1 error: 11",
            ),
            Example(
                "A server is already running. Check /app/tmp/pids/server.pid.",
                "data-in-use path=/app/tmp/pids/server.pid reason=A server is already running. Check /app/tmp/pids/server.pid",
            ),
            Example(
                'level=error msg="Executing migration failed" error="database is locked"',
                "data-in-use reason=database is locked",
            ),
            Example(
                "exception in initAndListen: DBPathInUse: Unable to lock the lock file: /data/db/mongod.lock (Resource temporarily unavailable).",
                "data-in-use reason=DBPathInUse",
            ),
            Example(
                "[ERROR] InnoDB: Unable to lock ./ibdata1 error: 11",
                "data-in-use path=./ibdata1 reason=InnoDB: Unable to lock ./ibdata1 error: 11",
            ),
            Example(
                'err="opening storage failed: lock DB directory: resource temporarily unavailable"',
                "data-in-use reason=lock DB directory: resource temporarily unavailable",
            ),
            Example(
                "java.lang.IllegalStateException: failed to obtain node locks, tried [[/usr/share/elasticsearch/data]] with lock id [0]",
                "data-in-use path=/usr/share/elasticsearch/data reason=failed to obtain node locks, tried [[/usr/share/elasticsearch/data]]",
            ),
            Example("sqlite3.OperationalError: database is locked", "data-in-use reason=database is locked"),
            Example(
                "Caused by: java.nio.channels.OverlappingFileLockException",
                "data-in-use reason=OverlappingFileLockException",
            ),
            Example(
                "panic: unable to acquire lock: resource temporarily unavailable",
                "data-in-use reason=unable to acquire lock: resource temporarily unavailable",
            ),
            Example(
                'FATAL:  lock file "postmaster.pid" already exists',
                'data-in-use path=postmaster.pid reason=lock file "postmaster.pid" already exists',
            ),
        ),
    ),
    LastWord(
        "directory-not-empty",
        words(
            r"(?P<reason>--initialize specified but the data directory has files in it)"
            rf"|(?P<reason_2>directory \"(?P<path>{PATH})\" exists but is not empty)"
            rf"|(?P<reason_3>destination path '(?P<path_3>[^']{{1,300}})' already exists and is not an empty directory)"
        ),
        ("the data directory has files", "exists but is not empty", "not an empty directory"),
        (
            _MYSQL,
            Seen("PostgreSQL", "8–18", "src/bin/initdb/initdb.c"),
            Seen("git", "1.7–2", "builtin/clone.c"),
        ),
        (
            Example(
                "2018-01-23T06:35:51.147754Z 0 [ERROR] --initialize specified but the data directory has files in it. Aborting.",
                "directory-not-empty reason=--initialize specified but the data directory has files in it",
            ),
            Example(
                'initdb: error: directory "/data/pg" exists but is not empty',
                'directory-not-empty path=/data/pg reason=directory "/data/pg" exists but is not empty',
            ),
            Example(
                "fatal: destination path '/git/repo' already exists and is not an empty directory.",
                "directory-not-empty path=/git/repo reason=destination path '/git/repo' already exists and is not an empty directory",
            ),
        ),
    ),
    LastWord(
        "connections-exhausted",
        words(
            r"(?P<reason>sorry, too many clients already|remaining connection slots are reserved for [\w\" -]{4,80}\w"
            r"|too many connections for (?:role|database) \"(?P<name>[^\"]{1,80})\"|connection limit exceeded for non-superusers"
            r"|(?:(?<=: )|(?<=\] )|^)Too many connections\b|[Uu]ser '?(?P<name_2>[\w.@%-]{1,80})'? (?:has exceeded the 'max_user_connections' resource|already has more than 'max_user_connections' active connections)"
            r"|max number of clients reached|no more connections allowed(?: \(max_client_conn\))?|connection (?:refused|rejected) because (?:there are )?too many open connections"
            r"|MaxClientsInSessionMode: max clients reached)"
        ),
        (
            *(
                "too many clients",
                "connection slots",
                "oo many connections",
                "connection limit exceeded",
                "max_user_connections",
            ),
            *(
                "max number of clients",
                "no more connections",
                "too many open connections",
                "max clients reached",
            ),
        ),
        (
            _POSTGRES,
            _MYSQL,
            Seen("Redis", "2–8", "src/networking.c"),
            Seen("PgBouncer", "1", "src/client.c"),
            Seen("MongoDB", "3–8", "src/mongo/transport/session_manager_common.cpp"),
        ),
        (
            Example(
                "FATAL:  sorry, too many clients already",
                "connections-exhausted reason=sorry, too many clients already",
            ),
            Example(
                "ERROR 1040 (HY000): Too many connections",
                "connections-exhausted reason=Too many connections",
            ),
            Example(
                'FATAL:  too many connections for role "shop"',
                'connections-exhausted name=shop reason=too many connections for role "shop"',
            ),
            Example(
                "ERR max number of clients reached",
                "connections-exhausted reason=max number of clients reached",
            ),
        ),
    ),
    LastWord(
        "server-read-only",
        words(
            r"(?P<reason>READONLY You can't write against a read only (?:replica|slave)|The (?:MySQL|MariaDB) server is running with the (?P<verb>--[\w-]{3,30}) option so it cannot execute"
            r"|cannot execute [A-Z][A-Z ]{2,40} in a read-only transaction|\bNotWritablePrimary\b|\bnot (?:master|primary) and slaveOk ?= ?false)"
        ),
        (
            "READONLY You",
            " option so it cannot execute",
            "in a read-only transaction",
            "NotWritablePrimary",
            "slaveOk",
        ),
        (
            Seen("Redis", "2–8", "src/server.c (shared.roslaveerr)"),
            _MYSQL,
            Seen("PostgreSQL", "9–18", "src/backend/tcop/utility.c"),
            _MONGO,
        ),
        (
            Example(
                "READONLY You can't write against a read only replica.",
                "server-read-only reason=READONLY You can't write against a read only replica",
            ),
            Example(
                "ERROR 1290 (HY000): The MySQL server is running with the --super-read-only option so it cannot execute this statement",
                "server-read-only reason=The MySQL server is running with the --super-read-only option so it cannot execute verb=--super-read-only",
            ),
            Example(
                "ERROR:  cannot execute INSERT in a read-only transaction",
                "server-read-only reason=cannot execute INSERT in a read-only transaction",
            ),
        ),
    ),
    LastWord(
        "too-large",
        words(
            r"(?P<reason>client (?P<verb>intended to send too large (?:chunked )?body)(?:: \d{1,15} bytes)?"
            r"|upstream sent (?P<verb_2>too big header) while reading response header from upstream"
            r"|[Rr]equest entity too large: limit is \d{1,15}|(?P<verb_4>etcdserver: request is too large)"
            r"|(?P<verb_5>(?:received|trying to send) message larger than max) \(\d{1,15} vs\. \d{1,15}\)"
            r"|\b(?P<verb_6>RecordTooLargeException|MessageSizeTooLargeException)\b(?:: [^\"]{3,200})?"
            r"|(?P<verb_7>Packet for query is too large)(?: \([\d ,>]{1,60}\))?|Got a packet bigger than '(?P<verb_8>max_allowed_packet)' bytes"
            r"|http: request body too large|PayloadTooLargeError: request entity too large|\b413 Request Entity Too Large\b)"
        ),
        (
            *(
                "too large body",
                "too large chunked body",
                "too big header",
                "entity too large",
                "request is too large",
                "larger than max",
            ),
            *(
                "TooLargeException",
                "query is too large",
                "max_allowed_packet",
                "body too large",
                "Entity Too Large",
            ),
        ),
        (
            Seen("nginx", "0.7–1", "src/http/ngx_http_core_module.c, ngx_http_upstream.c"),
            Seen(
                "kube-apiserver",
                "1.6–1.34",
                "staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go (NewRequestEntityTooLargeError)",
            ),
            Seen("etcd", "3.2–3.6", "api/v3rpc/rpctypes/error.go"),
            Seen("gRPC-Go", "1", "rpc_util.go"),
            _KAFKA,
            _MYSQL,
        ),
        (
            Example(
                "2021/01/01 10:00:00 [error] 41#41: *1 client intended to send too large body: 1500000 bytes, client: 10.0.0.1",
                "too-large reason=client intended to send too large body: 1500000 bytes verb=intended to send too large body",
            ),
            Example(
                "Error: create: failed to create: Request entity too large: limit is 3145728",
                "too-large reason=Request entity too large: limit is 3145728",
            ),
            Example(
                "rpc error: code = ResourceExhausted desc = grpc: received message larger than max (5000000 vs. 4194304)",
                "too-large reason=received message larger than max (5000000 vs. 4194304) verb=received message larger than max",
            ),
        ),
    ),
)
