"""Errors of servers that elect a leader, and of their clients, while there is no leader."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "leader-missing",
        words(
            r"(?P<reason>\bNo cluster leader\b|raft: no leader\b"
            r"|\b(?:master_not_discovered_exception|MasterNotDiscoveredException)\b|master not discovered (?:yet|or elected yet)\b"
            r"|\[SERVICE_UNAVAILABLE/2/no master\]|cluster[-_ ]manager not discovered (?:yet|or elected yet)\b"
            r"|\bCLUSTERDOWN (?:The cluster is down|Hash slot not served)"
            r"|\bReplicaSetNoPrimary\b|[Nn]o primary (?:server|node)? ?(?:found|available)|NotPrimaryNoSecondaryOk"
            r"|This ZooKeeper instance is not currently serving requests|WSREP has not yet prepared node for application use"
            r"|failed to reach primary view|[Ee]rror while waiting for Mnesia tables|\btimeout_waiting_for_tables\b)"
        ),
        (
            *("No cluster leader", ": no leader", "not_discovered", "NotDiscovered", "not discovered"),
            *(
                "/no master]",
                "CLUSTERDOWN",
                "NoPrimary",
                "o primary ",
                "NotPrimaryNo",
                "not currently serving",
            ),
            *("WSREP has not", "primary view", "Mnesia tables", "timeout_waiting_for_tables"),
        ),
        (
            Seen("Consul, Nomad", "0.5–1", "agent/structs/errors.go, nomad/structs/errors.go"),
            Seen(
                "Elasticsearch",
                "1–9",
                "discovery/MasterNotDiscoveredException.java, cluster/coordination/ClusterFormationFailureHelper.java",
            ),
            Seen("Redis", "3–8", "src/cluster.c"),
            Seen("MongoDB drivers", "3–8", "server selection specification"),
            Seen("ZooKeeper", "3", "server/NettyServerCnxn.java, command/FourLetterCommands"),
            Seen("Galera", "3–26", "sql/wsrep_mysqld.cc, gcs/src/gcs_group.cpp"),
            Seen("RabbitMQ", "3–4", "deps/rabbit/src/rabbit_table.erl"),
        ),
        (
            Example(
                "Unexpected response code: 500 (No cluster leader)", "leader-missing reason=No cluster leader"
            ),
            Example(
                "(error) CLUSTERDOWN Hash slot not served",
                "leader-missing reason=CLUSTERDOWN Hash slot not served",
            ),
            Example(
                "master not discovered yet, this node has not previously joined a bootstrapped cluster",
                "leader-missing reason=master not discovered yet",
            ),
            Example(
                "MongoServerSelectionError: getaddrinfo ENOTFOUND db-0 type: 'ReplicaSetNoPrimary'",
                "leader-missing reason=ReplicaSetNoPrimary",
            ),
        ),
        own=True,
    ),
)
