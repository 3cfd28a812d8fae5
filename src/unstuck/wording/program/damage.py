"""Programs' words about their own damaged data."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "data-damaged",
        words(
            r"(?P<reason>database file \((?P<path>[^\s()]{1,300})[^()]{0,80}\) does not match with snapshot[^:]{0,40}"
            r"|failed to recover v3 backend from snapshot|recovering backend from snapshot error: .{1,160}|snap(?:shot)?: (?:snapshot file doesn't exist|corrupted snapshot file)|walpb: crc mismatch|wal: (?:crc mismatch|max entry size limit exceeded|slice bounds out of range)"
            r"|alarm raised: CORRUPT\b|\balarm:CORRUPT\b|etcdserver: corrupt cluster"
            r"|tocommit\(\d{1,20}\) is out of range \[lastIndex\(\d{1,20}\)\]"
            r"|could not locate a valid checkpoint record|invalid page in block \d{1,12} of relation (?:\S{1,200})|could not read block \d{1,12} in file \"[^\"]{1,200}\""
            r"|database disk image is malformed|file is (?:encrypted or )?not a database"
            r"|(?:Detected|found) (?:a )?corrupt(?:ed|ion)? (?:in )?(?:segment|block|wal|index|data|file)[^:]{0,80}|corruption in segment \S{1,200} at \d{1,20}"
            r"|Bad file format reading the append only file|Wrong signature trying to load DB from file|Short read or OOM loading DB"
            r"|(?:org\.apache\.lucene\.index\.)?CorruptIndexException|TranslogCorruptedException|CorruptRecordException"
            r"|Table '[^']{1,120}' is marked as crashed|InnoDB: Database page corruption on disk|WT_ERROR: non-specific WiredTiger error|WiredTiger error .{0,80}checksum error"
            r"|checkpoint is corrupted|freepages: failed to get all reachable pages|(?<!\w)invalid database(?!\w)(?= *$|: ))"
        ),
        (
            *(
                "does not match with snapshot",
                "v3 backend",
                "recovering backend",
                "snapshot file",
                "wal",
                "tocommit(",
                "checkpoint",
                "invalid page",
                "could not read block",
            ),
            *(
                "malformed",
                "not a database",
                "orrupt",
                "CORRUPT",
                "append only",
                "Wrong signature",
                "Short read",
                "crashed",
                "WT_ERROR",
            ),
            *("checksum error", "freepages", "invalid database"),
        ),
        (
            Seen("etcd", "3.0–3.6", "server/etcdserver, server/storage/wal"),
            Seen("PostgreSQL", "9–17", "src/backend/access/transam, storage/smgr"),
            Seen("SQLite", "3", "src/main.c"),
            Seen("Prometheus", "2–3", "tsdb/wlog"),
            Seen("Redis", "5–8", "src/aof.c, rdb.c"),
            Seen("MySQL", "5–9", "storage/innobase/buf"),
            Seen("bbolt", "1", "db.go"),
        ),
        (
            Example(
                "etcdmain: database file (data/member/snap/db index 4) does not match with snapshot (index 9).",
                "data-damaged path=data/member/snap/db reason=database file (data/member/snap/db index 4) does not match with snapshot (index 9).",
            ),
            Example(
                "etcdserver: recovering backend from snapshot error: database snapshot file path error: snap: snapshot file doesn't exist",
                "data-damaged reason=recovering backend from snapshot error: database snapshot file path error: snap: snapshot file doesn't exist",
            ),
            Example(
                "memberID:10276657743932975437 alarm:CORRUPT",
                "data-damaged reason=alarm:CORRUPT",
            ),
            Example(
                "PANIC:  could not locate a valid checkpoint record",
                "data-damaged reason=could not locate a valid checkpoint record",
            ),
            Example(
                "sqlite3.DatabaseError: database disk image is malformed",
                "data-damaged reason=database disk image is malformed",
            ),
        ),
    ),
)
