"""A file system of one file whose server stops answering on request. Run on a node:

    python3 _fusefs.py MOUNTPOINT FLAG

While the file FLAG exists, no request is answered: each waits in the kernel as if for a dead network server.
It needs only Python 3, and implements the kernel's protocol itself (linux/fuse.h, protocol 7.31).
"""

import ctypes
import os
import stat
import struct
import sys
import time
from pathlib import Path

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE = 1, 2, 3, 14, 15, 17, 18
FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, INTERRUPT, BATCH_FORGET = 25, 26, 27, 28, 29, 36, 42
ENOENT, ENOSYS = 2, 38
ROOT, FILE = 1, 2
NAME, CONTENT = b"f", b"hello\n"
HEADER = struct.Struct("<IIQQIIII")  # len, opcode, unique, nodeid, uid, gid, pid, padding


def pack_attributes(node: int) -> bytes:
    """Return the kernel's struct fuse_attr (88 bytes)."""
    mode, size, links = (
        (stat.S_IFDIR | 0o755, 0, 2) if node == ROOT else (stat.S_IFREG | 0o644, len(CONTENT), 1)
    )
    return struct.pack("<6Q10I", node, size, 1, 0, 0, 0, 0, 0, 0, mode, links, 0, 0, 0, 4096, 0)


def pack_entry(offset: int, name: bytes, node: int) -> bytes:
    """Return the kernel's struct fuse_dirent, padded to 8 bytes. offset: of the next entry."""
    kind = stat.S_IFDIR if node == ROOT else stat.S_IFREG
    packed = struct.pack("<QQII", node, offset, len(name), kind >> 12) + name
    return packed + bytes(-len(packed) % 8)


def answer(opcode: int, node: int, body: bytes) -> bytes | int:
    """Return the reply's body, or an errno."""
    if opcode == INIT:
        major, _, readahead = struct.unpack_from("<III", body)
        return struct.pack("<IIIIHHIIHHI7I", major, 31, readahead, 0, 12, 9, 65536, 1, 1, 0, 0, *[0] * 7)
    if opcode == LOOKUP:
        # The kernel caches nothing (timeouts of 0), so every look-up is a request.
        found = body.rstrip(b"\0") == NAME and node == ROOT
        return struct.pack("<4Q2I", FILE, 0, 0, 0, 0, 0) + pack_attributes(FILE) if found else ENOENT
    if opcode == GETATTR:
        return struct.pack("<QII", 0, 0, 0) + pack_attributes(node)
    if opcode in (OPEN, OPENDIR):
        return struct.pack("<QII", 0, 0, 0)
    if opcode == READDIR:
        offset = struct.unpack_from("<QQ", body)[1]
        return (
            b"".join([pack_entry(1, b".", ROOT), pack_entry(2, b"..", ROOT), pack_entry(3, NAME, FILE)])
            if offset == 0
            else b""
        )
    if opcode == READ:
        _, offset, size = struct.unpack_from("<QQI", body)
        return CONTENT[offset : offset + size]
    if opcode == STATFS:
        return struct.pack("<5Q4I", 1, 1, 1, 2, 0, 512, 255, 512, 0) + bytes(24)
    return b"" if opcode in (RELEASE, RELEASEDIR, FLUSH) else ENOSYS


def mount(device: int, target: str) -> None:
    """Mount type `fuse` with the system call, without a helper program that might stay behind."""
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    if libc.mount(b"lab-server:/export", target.encode(), b"fuse", 0, options) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)


def serve(device: int, flag: str) -> None:
    """Answer requests until the file system is unmounted (ENODEV ends the read)."""
    while True:
        request = os.read(device, 1 << 20)
        _, opcode, unique, node, *_ = HEADER.unpack_from(request)
        while Path(flag).exists() and opcode != INIT:
            time.sleep(0.2)
        if opcode in (FORGET, BATCH_FORGET, INTERRUPT):
            continue  # these expect no reply
        reply = answer(opcode, node, request[HEADER.size :])
        error, body = (-reply, b"") if isinstance(reply, int) else (0, reply)
        try:
            os.write(device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
        except FileNotFoundError:
            continue  # the caller was interrupted meanwhile


def main(target: str, flag: str) -> None:
    """Mount and serve."""
    Path(target).mkdir(parents=True, exist_ok=True)
    device = os.open("/dev/fuse", os.O_RDWR)
    mount(device, target)
    serve(device, flag)


if __name__ == "__main__":
    main(*sys.argv[1:])
