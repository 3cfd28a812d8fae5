"""Crashes of the program itself: memory that its runtime does not get, threads that the kernel refuses,
uncaught panics and exceptions.
"""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "child-killed",
        words(
            r"(?:^|: |=\"?)signal: killed\b|\b(?P<name>[a-z][\w ]{2,40} process) \(PID \d{1,10}\) was terminated by signal 9\b"
            r"|\b(?P<name_2>[Ww]orker \(pid: ?\d{1,10}\)) was sent SIGKILL|\b(?P<name_3>worker \d{1,6}) \(pid: \d{1,10}\) died, killed by signal 9\b"
            r"|^npm (?:ERR!|error) signal SIGKILL|\bKilled signal terminated program (?P<name_4>[\w+-]{1,60})|\bWorker exited prematurely: signal 9 \(SIGKILL\)"
            r"|^(?:\S{1,120}: )?(?:line )?\d{1,6}: +\d{1,10} Killed +(?P<name_5>\S.{0,80}?)\s*$"
            r"|^make(?:\[\d{1,3}\])?: \*\*\* \[(?P<name_6>[^\]]{1,120})\] (?:Killed|Error 137)\b|\bdid not complete successfully: exit code: 137\b"
            r"|\breturned a non-zero code: 137\b|^command terminated with exit code 137\b"
        ),
        (
            *("ignal: killed", "terminated by signal 9", "was sent SIGKILL", "killed by signal 9"),
            *(
                "signal SIGKILL",
                "Killed",
                "(SIGKILL)",
                "Error 137",
                "exit code: 137",
                "code: 137",
                "exit code 137",
            ),
        ),
        (
            Seen("Go", "1.0–1.25", "src/os/exec_posix.go (ProcessState.String)"),
            Seen("PostgreSQL", "8–18", "src/backend/postmaster/postmaster.c (LogChildExit)"),
            Seen("Gunicorn", "20–23", "gunicorn/arbiter.py (reap_workers)"),
            Seen("uWSGI", "1–2", "core/master_utils.c"),
            Seen("GCC", "4–15", "gcc/gcc.cc"),
            Seen("bash", "3–5", "jobs.c (notify_of_job_status)"),
        ),
        (
            Example('level=error msg="Error running command" error="signal: killed"', "child-killed"),
            Example(
                "LOG:  server process (PID 4711) was terminated by signal 9: Killed",
                "child-killed name=server process",
            ),
            Example(
                "[ERROR] Worker (pid:17) was sent SIGKILL! Perhaps out of memory?",
                "child-killed name=Worker (pid:17)",
            ),
            Example(
                "/entrypoint.sh: line 12:    34 Killed                  import --all",
                "child-killed name=import --all",
            ),
            Example("make: *** [build/app.js] Error 137", "child-killed name=build/app.js"),
        ),
        own=True,
    ),
    LastWord(
        "memory-exhausted",
        words(
            r"Could not reserve enough space for (?:\d{1,12}[KMG]B )?object heap|insufficient memory for the Java Runtime Environment to continue"
        ),
        ("object heap", "insufficient memory for the Java"),
        (Seen("OpenJDK", "8–25", "src/hotspot/share/memory/universe.cpp, utilities/vmError.cpp"),),
        (
            Example("Could not reserve enough space for 4194304KB object heap", "memory-exhausted"),
            Example(
                "# There is insufficient memory for the Java Runtime Environment to continue.",
                "memory-exhausted",
            ),
        ),
        own=True,
    ),
    LastWord(
        "memory-exhausted",
        words(
            r"java\.lang\.OutOfMemoryError(?!: unable to create)|JavaScript heap out of memory|runtime: out of memory|cannot allocate memory|Cannot allocate memory"
            r"|^MemoryError\b|Allowed memory size of \d{1,15} bytes exhausted|std::bad_alloc|OutOfMemoryException|NoMemoryError|memory allocation of \d{1,20} bytes failed"
        ),
        (
            "OutOfMemory",
            "heap out of memory",
            "out of memory",
            "allocate memory",
            "MemoryError",
            "Allowed memory size",
            "bad_alloc",
            "memory allocation of",
        ),
        (
            Seen("OpenJDK", "8–25", "src/hotspot/share/memory/universe.cpp"),
            Seen("V8", "3–13", "src/api/api.cc"),
            Seen("Go", "1.0–1.25", "src/runtime/malloc.go"),
            Seen("PHP", "5–8", "Zend/zend_alloc.c"),
        ),
        (
            Example(
                'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space', "memory-exhausted"
            ),
            Example(
                "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
                "memory-exhausted",
            ),
            Example("fatal error: runtime: out of memory", "memory-exhausted"),
        ),
    ),
    LastWord(
        "thread-refused",
        words(
            r"can't fork|[Cc]annot fork|fork: (?:retry: )?Resource temporarily unavailable|unable to create (?:new )?native thread|pthread_create failed|failed to create new OS thread"
            r"|\b(?:fork|create (?:new )?thread): (?:Resource temporarily unavailable|No space left on device)"
        ),
        ("fork", "native thread", "pthread_create", "OS thread", "thread: "),
        (
            Seen("busybox", "1", "libbb/xfuncs_printf.c"),
            Seen("OpenJDK", "8–25", "src/hotspot/share/prims/jvm.cpp"),
            Seen("Go", "1.0–1.25", "src/runtime/os_linux.go"),
        ),
        (
            Example("sh: can't fork: Resource temporarily unavailable", "thread-refused"),
            Example("entrypoint.sh: fork: No space left on device", "thread-refused"),
            Example(
                "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory or process/resource limits reached",
                "thread-refused",
            ),
        ),
    ),
    LastWord(
        "crashed",
        words(
            r"^(?:panic: |fatal error: |Exception in thread \"|Caused by: |Unhandled exception\. |PHP Fatal error: |Fatal error: Uncaught |Uncaught |terminate called after )\S"
            r"|^thread '[^']{0,80}'(?: \(\d{1,20}\))? panicked at (?:'.{0,200}', )?(?P<place>[^\s:]{1,300}:\d{1,7})"
            r"|^(?:[A-Za-z_][\w.]{0,120}\.)?[A-Z]\w{0,80}(?:Error|Exception)(?:: |$)|^(?P<place_2>\S{1,300}\.rb:\d{1,7}):in .{1,200}\((?:\w|::){1,120}\)"
            r"|Segmentation fault|^\*\* \(\w"
        ),
        (
            *(
                "panic",
                "fatal error: ",
                "Exception",
                "Caused by: ",
                "Error",
                "terminate called",
                "Uncaught ",
                ".rb:",
                "Segmentation fault",
                "** (",
            ),
        ),
        (
            Seen("Go", "1.0–1.25", "src/runtime/panic.go"),
            Seen("OpenJDK", "8–25", "java/lang/ThreadGroup.java"),
            Seen("CPython", "3", "Lib/traceback.py"),
            Seen("Rust", "1", "library/std/src/panicking.rs"),
            Seen("Node.js", "0.10–24", "lib/internal/process/execution.js"),
            Seen(".NET", "5–9", "System.Private.CoreLib"),
        ),
        (
            Example("panic: runtime error: invalid memory address or nil pointer dereference", "crashed"),
            Example("thread 'main' panicked at src/main.rs:42:10:", "crashed place=src/main.rs:42"),
            Example("ValueError: not enough values to unpack (expected 3, got 2)", "crashed"),
            Example("TypeError: Cannot read properties of undefined (reading 'port')", "crashed"),
        ),
        vague=True,
    ),
)
