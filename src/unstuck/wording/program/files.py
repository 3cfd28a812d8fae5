"""Files, libraries and commands: not there, not allowed, not writable, no space for them."""

from __future__ import annotations

from unstuck.facts.vocabulary.programs import ProgramError
from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import ANY_PROGRAM, PATH, LastWord, Naming, words

_LIBC = Seen("Linux", "2–6", "include/uapi/asm-generic/errno-base.h")

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "command-unsplit",
        words(
            r"exec: \"(?P<name>[\w./-]{1,80} [^\n]{1,300}?)\": (?:executable file not found in \$PATH|stat [^\n]{1,400}: no such file or directory)"
        ),
        ("exec: ",),
        (
            Seen("runc", "1.0–1.3", "libcontainer/standard_init_linux.go"),
            Seen("Go", "1.0–1.25", "src/os/exec/lp_unix.go"),
        ),
        (
            Example(
                'OCI runtime exec failed: exec failed: unable to start container process: exec: "check --all": executable file not found in $PATH',
                "command-unsplit name=check --all",
            ),
            Example(
                'failed to start exec "a": OCI runtime exec failed: exec: "redis-cli ping": stat redis-cli ping: no such file or directory',
                "command-unsplit name=redis-cli ping",
            ),
        ),
        own=True,
    ),
    LastWord(
        "library-missing",
        words(
            r"error while loading shared libraries: (?P<name>[\w.+/-]{1,120})|[Ee]rror loading shared library (?P<name_2>[\w.+/-]{1,120})"
            r"|version [`'](?P<name_3>(?:GLIBC|GLIBCXX|CXXABI|MUSL)_[\w.]{1,20})' not found|Error relocating [^:]{1,300}: (?P<name_4>\w{1,120}): symbol not found"
            r"|symbol lookup error: (?P<place>\S{1,300}): undefined symbol: (?P<name_5>\w{1,120})(?:, version (?P<reason_5>[\w.]{2,60}))?|(?P<name_6>lib[\w.+-]{1,80}\.so[.\d]{0,20}): cannot open shared object file"
            r"|[Cc]ould not load (?P<name_7>[A-Z][\w.+-]{1,40}) library\b"
        ),
        ("shared librar", "not found", "symbol", "shared object", "ould not load"),
        (
            Seen("glibc", "2", "elf/dl-load.c"),
            Seen("glibc", "2", "elf/dl-version.c"),
            Seen("musl", "1", "ldso/dynlink.c"),
            Seen("NVIDIA gpu-monitoring-tools", "1", "bindings/go/nvml/nvml.go"),
        ),
        (
            Example(
                "/app/server: error while loading shared libraries: libssl.so.1.1: cannot open shared object file: No such file or directory",
                "library-missing name=libssl.so.1.1",
            ),
            Example(
                "./app: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by ./app)",
                "library-missing name=GLIBC_2.34",
            ),
            Example(
                "Error loading shared library libstdc++.so.6: No such file or directory (needed by /usr/bin/node)",
                "library-missing name=libstdc++.so.6",
            ),
            Example(
                "Failed to start nvml with error: could not load NVML library", "library-missing name=NVML"
            ),
        ),
        own=True,
    ),
    LastWord(
        "library-missing",
        words(
            r"(?:ModuleNotFoundError|ImportError): No module named '?(?P<name>[\w.]{1,120})|Cannot find (?:module|package) '(?P<name_2>[^']{1,200})'"
            r"|cannot load such file -- (?P<name_3>[\w./-]{1,200})|Could not find or load main class (?P<name_4>[\w.$/]{1,200})"
            r"|(?:ClassNotFoundException|NoClassDefFoundError): (?P<name_5>[\w.$/]{1,200})|Could not load file or assembly '(?P<name_6>[\w.]{1,200})"
            r"|Class \"(?P<name_7>[\w\\]{1,200})\" not found|Can't locate (?P<name_8>[\w/.]{1,200}) in @INC"
            r"|ImportError: cannot import name '(?P<name_9>\w{1,120})'|Could not find (?P<name_10>[\w.-]{1,120}) in (?:locally installed gems|any of the sources)"
        ),
        (
            "No module named",
            "Cannot find",
            "cannot load such file",
            "main class",
            "ClassNotFound",
            "NoClassDefFound",
            "file or assembly",
            "Class ",
            "Can't locate",
            "cannot import name",
            "Could not find",
        ),
        (
            Seen("CPython", "3", "Lib/importlib/_bootstrap.py"),
            Seen("Node.js", "0.10–24", "lib/internal/modules/cjs/loader.js"),
            Seen("Ruby", "1.9–3", "load.c"),
            Seen("OpenJDK", "8–25", "sun/launcher/resources/launcher.properties"),
            Seen("Bundler", "1–2", "lib/bundler/definition.rb, spec_set.rb"),
        ),
        (
            Example("ModuleNotFoundError: No module named 'flask'", "library-missing name=flask"),
            Example(
                "ImportError: cannot import name 'create_app' from 'shop.app' (/app/shop/app.py)",
                "library-missing name=create_app",
            ),
            Example(
                "Could not find rails-7.0.4 in locally installed gems (Bundler::GemNotFound)",
                "library-missing name=rails-7.0.4",
            ),
            Example(
                "Error: Cannot find module '/app/dist/main.js'", "library-missing name=/app/dist/main.js"
            ),
            Example(
                "Error: Could not find or load main class com.acme.Main", "library-missing name=com.acme.Main"
            ),
        ),
    ),
    LastWord(
        "read-only",
        words(r"[Rr]ead-only file ?system|EROFS"),
        ("ead-only file", "EROFS"),
        (_LIBC,),
        (
            Example("sh: can't create /app.pid: Read-only file system", "read-only path=/app.pid"),
            Example(
                "OSError: [Errno 30] Read-only file system: '/var/cache/app'", "read-only path=/var/cache/app"
            ),
        ),
    ),
    LastWord(
        "no-space",
        words(
            r"flood[- ]stage (?:disk )?watermark(?: \[[^\]]{1,20}\])? exceeded on|disk usage exceeded flood-stage watermark|FORBIDDEN/12/index read-only"
        ),
        ("flood", "FORBIDDEN/12/"),
        (Seen("Elasticsearch", "6–9", "cluster/routing/allocation/DiskThresholdMonitor.java"),),
        (
            Example(
                "[WARN ][o.e.c.r.a.DiskThresholdMonitor] [es-0] flood stage disk watermark [95%] exceeded on [abc][es-0], all indices on this node will be marked read-only",
                "no-space",
            ),
            Example(
                "cluster_block_exception: blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];",
                "no-space",
            ),
        ),
        own=True,
    ),
    LastWord(
        "permission-denied",
        words(
            r"Error when reading (?P<path>/\S{1,300}): eacces\b|Failed to create cookie file '(?P<path_2>/[^']{1,300})': eacces\b"
        ),
        (": eacces",),
        (Seen("Erlang", "17–28", "lib/kernel/src/auth.erl"),),
        (
            Example(
                '"Error when reading /var/lib/rabbitmq/.erlang.cookie: eacces"',
                "permission-denied path=/var/lib/rabbitmq/.erlang.cookie",
            ),
            Example(
                "{\"Failed to create cookie file '/var/lib/rabbitmq/.erlang.cookie': eacces\",",
                "permission-denied path=/var/lib/rabbitmq/.erlang.cookie",
            ),
        ),
        own=True,
    ),
    LastWord(
        "permission-denied",
        words(
            r"(?:listen|bind)[ (].{0,80}?:(?P<port>\d{1,5})\b.{0,40}(?:[Pp]ermission denied|EACCES)"
            r"|\blisten EACCES: permission denied [^\s:]{0,60}:(?P<port_2>\d{1,5})\b"
            r"|[Pp]ermission denied(?! \(publickey)|[Oo]peration not permitted|EACCES|EPERM\b|AccessDeniedException: (?P<path>/\S{1,400})"
            r"|Access to the path '(?P<path_2>[^']{1,400})' is denied|(?:has|have) wrong ownership"
        ),
        (
            "ermission denied",
            "eration not permitted",
            "EACCES",
            "EPERM",
            "AccessDenied",
            "is denied",
            "wrong ownership",
        ),
        (
            _LIBC,
            Seen("Java", "8–25", "sun/nio/fs/UnixException.java"),
            Seen(".NET", "5–9", "System.Private.CoreLib/Resources/Strings.resx"),
        ),
        (
            Example("sh: can't create /data/f: Permission denied", "permission-denied path=/data/f"),
            Example(
                "open /var/lib/grafana/grafana.db: permission denied",
                "permission-denied path=/var/lib/grafana/grafana.db",
            ),
            Example(
                "PermissionError: [Errno 13] Permission denied: '/app/logs/app.log'",
                "permission-denied path=/app/logs/app.log",
            ),
            Example(
                "mkdir: cannot create directory '/bitnami/postgresql': Permission denied",
                "permission-denied path=/bitnami/postgresql",
            ),
            Example(
                "nginx: [emerg] bind() to 0.0.0.0:80 failed (13: Permission denied)",
                "permission-denied port=80",
            ),
            Example("Error: listen EACCES: permission denied 0.0.0.0:443", "permission-denied port=443"),
            Example(
                "rm: can't remove '/var/lib/mysql': Operation not permitted",
                "permission-denied path=/var/lib/mysql",
            ),
        ),
    ),
    LastWord(
        "no-space",
        words(
            r"[Nn]o space left on device|ENOSPC(?!: System limit)|[Dd]isk quota exceeded|not enough (?:free |disk )?space (?:on|left|to|in)\b"
        ),
        ("o space left", "ENOSPC", "isk quota", "enough space"),
        (_LIBC,),
        (
            Example(
                'FATAL:  could not write lock file "/var/lib/postgresql/data/postmaster.pid": No space left on device',
                "no-space path=/var/lib/postgresql/data/postmaster.pid",
            ),
            Example(
                "OSError: [Errno 28] No space left on device: '/tmp/upload'", "no-space path=/tmp/upload"
            ),
            Example(
                "raft_init(): io: create I/O capabilities probe file: not enough space to allocate 4096 bytes",
                "no-space",
            ),
        ),
        # For these calls ENOSPC means an exhausted limit: watches, processes, semaphores, cgroups
        # (inotify_add_watch(2), fork(2), semget(2)).
        unless=("inotify", "fsnotify", "fork: ", "thread: ", "semget", "emaphore", "/sys/fs/cgroup"),
    ),
    LastWord(
        "path-is-directory",
        words(r"[Ii]s a directory|EISDIR|IsADirectoryError"),
        ("s a directory", "EISDIR", "IsADirectory"),
        (_LIBC,),
        (
            Example("cat: read error: Is a directory", "path-is-directory"),
            Example(
                "failed to load config: read /etc/app.yml: is a directory",
                "path-is-directory path=/etc/app.yml",
            ),
        ),
    ),
    LastWord(
        "format-refused",
        words(r"[Ee]xec format error|cannot execute binary file"),
        ("xec format error", "cannot execute binary"),
        (_LIBC, Seen("bash", "4–5", "execute_cmd.c")),
        (
            Example(
                "/entrypoint.sh: line 5: /usr/local/bin/app: cannot execute binary file: Exec format error",
                "format-refused path=/usr/local/bin/app",
            ),
            Example("OSError: [Errno 8] Exec format error: '/opt/tool'", "format-refused path=/opt/tool"),
        ),
    ),
    LastWord(
        "command-not-found",
        words(
            r"^(?:\S{0,80}(?:sh|bash|\.sh): |\S{1,160}: (?=line \d))?(?:(?:line )?\d{1,6}: )?(?P<name>[\w./+-]{1,200}): (?:command )?not found$"
            r"|env: (?:can't execute )?['\"‘]?(?P<name_2>[\w./+-]{1,200}?)['\"’]?: No such file or directory"
            r"|exec: \"(?P<name_3>[^\"]{1,200})\": (?:executable file not found in \$PATH|stat [^\n:]{1,200}: no such file)"
        ),
        ("not found", "env: ", "exec: "),
        (
            Seen("busybox", "1", "shell/ash.c"),
            Seen("bash", "4–5", "execute_cmd.c"),
            Seen("coreutils", "8–9", "src/env.c"),
            Seen("Go", "1.0–1.25", "src/os/exec/lp_unix.go"),
        ),
        (
            Example("sh: myapp: not found", "command-not-found name=myapp"),
            Example(
                "/entrypoint.sh: line 12: envsubst: command not found", "command-not-found name=envsubst"
            ),
            Example("/sbin/fsadm: line 506: xfs_info: command not found", "command-not-found name=xfs_info"),
            Example(
                "env: can't execute 'python': No such file or directory", "command-not-found name=python"
            ),
        ),
    ),
    LastWord(
        "file-missing",
        words(
            r"(?<![\w/.:-])[\"'`]?(?P<path>/(?:etc|var|tmp|run|opt|usr|home|root|data|mnt|srv|certs?|secrets?|credentials|config|app|dev|lib|sys|proc)/[^\s:'\"`,;()<>]{1,400})[\"'`]? (?:does not|doesn't) exist\b"
        ),
        ("does not exist", "doesn't exist"),
        (ANY_PROGRAM, Seen("restic", "0.9–0.18", "internal/global/secondary_repo.go, cmd/restic/global.go")),
        (
            Example(
                "Resolving password failed: Fatal: /tmp/credentials/tide-repository-password does not exist",
                "file-missing path=/tmp/credentials/tide-repository-password",
            ),
            Example("Error: '/etc/till/ca.pem' does not exist", "file-missing path=/etc/till/ca.pem"),
        ),
        marked=True,
    ),
    LastWord(
        "file-missing",
        words(
            r"[Nn]o such file or directory|ENOENT|(?:FileNotFound|NoSuchFile)Exception: (?P<path>/\S{1,400})|Could not find (?:a part of the path|file) '(?P<path_2>[^']{1,400})'"
            r"|Unable to access jarfile (?P<path_3>\S{1,400})|Failed opening required '(?P<path_4>[^']{1,400})'|[Cc]an(?:no|')t open file '(?P<path_5>[^']{1,400})'"
        ),
        (
            "o such file",
            "ENOENT",
            "NotFoundException",
            "NoSuchFile",
            "ould not find",
            "jarfile",
            "opening required",
            "open file",
        ),
        (
            _LIBC,
            Seen("Java", "8–25", "java/io/FileInputStream.java"),
            Seen("CPython", "3", "Modules/main.c"),
            Seen("PHP", "5–8", "main/main.c"),
        ),
        (
            Example(
                "open /etc/app/config.yaml: no such file or directory",
                "file-missing path=/etc/app/config.yaml",
            ),
            Example(
                "FileNotFoundError: [Errno 2] No such file or directory: '/run/secrets/token'",
                "file-missing path=/run/secrets/token",
            ),
            Example("Error: Unable to access jarfile /app/app.jar", "file-missing path=/app/app.jar"),
            Example(
                "python: can't open file '/app/main.py': [Errno 2] No such file or directory",
                "file-missing path=/app/main.py",
            ),
        ),
    ),
)

_PATHS: tuple[ProgramError, ...] = (
    "read-only",
    "permission-denied",
    "no-space",
    "path-is-directory",
    "format-refused",
    "file-missing",
)
NAMINGS: tuple[Naming, ...] = (
    # What is not there is the first of two paths.
    Naming(words(rf"\b(?:rename|link) (?P<path>{PATH}) {PATH}: "), _PATHS),
    # Go names the operation on the file; the text before it may hold a path as well.
    Naming(
        words(
            rf"\b(?:open|mkdir|stat|read|write|create|rename|chmod|chown|unlink|remove|fork/exec|lstat|openat) (?P<path>{PATH}): "
        ),
        _PATHS,
    ),
    Naming(words(rf"[\"'‘“`](?P<path>{PATH})[\"'’”`]"), _PATHS),
    Naming(words(rf"(?<![\w.])(?P<path>{PATH})(?=: | \(| failed)(?!: line \d)"), _PATHS),
    Naming(words(rf"(?<=[ @-] )(?P<path>{PATH})$"), _PATHS),
)
