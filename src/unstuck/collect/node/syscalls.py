"""Names of the system calls in which tasks wait; all others are shown by their number.

Sources: arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h (arm64, riscv64,
loongarch64).
"""

from __future__ import annotations

_X86 = """
0 read 1 write 2 open 3 close 4 stat 5 fstat 6 lstat 7 poll 8 lseek 9 mmap 10 mprotect 11 munmap 12 brk
16 ioctl 17 pread64 18 pwrite64 19 readv 20 writev 21 access 22 pipe 23 select 26 msync 28 madvise 33 dup2
34 pause 35 nanosleep 40 sendfile 42 connect 43 accept 44 sendto 45 recvfrom 46 sendmsg 47 recvmsg 48 shutdown
56 clone 57 fork 58 vfork 59 execve 60 exit 61 wait4 62 kill 72 fcntl 73 flock 74 fsync 75 fdatasync
76 truncate 77 ftruncate 78 getdents 79 getcwd 80 chdir 81 fchdir 82 rename 83 mkdir 84 rmdir 85 creat 86 link
87 unlink 88 symlink 89 readlink 90 chmod 91 fchmod 92 chown 93 fchown 101 ptrace 137 statfs 138 fstatfs
155 pivot_root 161 chroot 162 sync 165 mount 166 umount2 175 init_module 187 readahead 188 setxattr
191 getxattr 194 listxattr 202 futex 208 io_getevents 209 io_submit 217 getdents64 231 exit_group
232 epoll_wait 247 waitid 257 openat 258 mkdirat 260 fchownat 262 newfstatat 263 unlinkat 264 renameat
265 linkat 267 readlinkat 268 fchmodat 269 faccessat 270 pselect6 271 ppoll 272 unshare 275 splice
277 sync_file_range 281 epoll_pwait 285 fallocate 295 preadv 296 pwritev 306 syncfs 308 setns 316 renameat2
322 execveat 326 copy_file_range 332 statx 426 io_uring_enter 429 move_mount 435 clone3 437 openat2
439 faccessat2
"""
_GENERIC = """
1 io_destroy 2 io_submit 4 io_getevents 5 setxattr 8 getxattr 11 listxattr 17 getcwd 22 epoll_pwait 25 fcntl
29 ioctl 32 flock 34 mkdirat 35 unlinkat 36 symlinkat 37 linkat 38 renameat 39 umount2 40 mount 41 pivot_root
43 statfs 44 fstatfs 45 truncate 46 ftruncate 47 fallocate 48 faccessat 49 chdir 50 fchdir 51 chroot 52 fchmod
53 fchmodat 54 fchownat 55 fchown 56 openat 57 close 61 getdents64 62 lseek 63 read 64 write 65 readv
66 writev 67 pread64 68 pwrite64 69 preadv 70 pwritev 71 sendfile 72 pselect6 73 ppoll 76 splice 78 readlinkat
79 newfstatat 80 fstat 81 sync 82 fsync 83 fdatasync 84 sync_file_range 93 exit 94 exit_group 95 waitid
97 unshare 98 futex 101 nanosleep 105 init_module 117 ptrace 129 kill 202 accept 203 connect 206 sendto
207 recvfrom 210 shutdown 211 sendmsg 212 recvmsg 213 readahead 214 brk 215 munmap 220 clone 221 execve
222 mmap 226 mprotect 227 msync 233 madvise 260 wait4 267 syncfs 268 setns 276 renameat2 281 execveat
285 copy_file_range 291 statx 426 io_uring_enter 429 move_mount 435 clone3 437 openat2 439 faccessat2
"""


def _parse_table(text: str) -> dict[int, str]:
    words = text.split()
    return {int(number): name for number, name in zip(words[::2], words[1::2], strict=True)}


def call_name(text: str, machine: str) -> str:
    """Return `/proc/TID/syscall` → `statx`, `call 512` for a number without a name here; "" for a task that
    runs or is in none.

    machine: as uname -m; "" if unknown, and then only the number is given.
    """
    words = text.split()
    if len(words) != 9 or not words[0].isascii() or not words[0].isdigit():
        return ""
    number = int(words[0][:9])
    # A 32-bit program has other call numbers; the address of its code shows it.
    narrow = len(words[8]) <= len("0xffffffff")
    known = (
        ""
        if narrow
        else {"x86_64": _X86, "aarch64": _GENERIC, "riscv64": _GENERIC, "loongarch64": _GENERIC}.get(
            machine, ""
        )
    )
    return _parse_table(known).get(number) or f"call {number}"
