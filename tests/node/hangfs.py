"""A FUSE file system with a daemon that goes silent: the kernel's protocol without a library
(include/uapi/linux/fuse.h).

`python hangfs.py MOUNTPOINT`: mounts, writes `ready`, answers INIT, GETATTR, OPENDIR and READDIR of its empty
root; a look-up of any name is never answered, and reported as `asked`. Ending it ends the connection, and
with it every wait.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

LOOKUP, GETATTR, STATFS, INIT, OPENDIR, READDIR, RELEASEDIR = 1, 3, 17, 26, 27, 28, 29
_HEADER = struct.Struct("=IIQQIIIHH")


def pack_attributes() -> bytes:
    """Return the struct fuse_attr of a directory."""
    return struct.pack("=QQQQQQIIIIIIIIII", 1, 0, 0, 0, 0, 0, 0, 0, 0, 0o40755, 2, 0, 0, 0, 4096, 0)


def answer(opcode: int, body: bytes) -> bytes | None:
    """Return the answer, None for silence."""
    if opcode == INIT:
        major, _, ahead, _ = struct.unpack_from("=IIII", body)
        return struct.pack("=IIIIHHIIHHI28x", major, 31, ahead, 0, 12, 9, 4096, 1, 1, 0, 0)
    if opcode == GETATTR:
        return struct.pack("=QII", 0, 0, 0) + pack_attributes()
    if opcode == OPENDIR:
        return struct.pack("=QII", 0, 0, 0)
    if opcode in (READDIR, RELEASEDIR):
        return b""
    return None


def serve(fd: int) -> None:
    """Serve until the connection ends."""
    while True:
        try:
            request = os.read(fd, 1 << 20)
        except OSError:
            return
        _, opcode, unique, *_ = _HEADER.unpack_from(request)
        reply = answer(opcode, request[_HEADER.size :])
        if opcode == LOOKUP:
            os.write(1, b"asked\n")
        if reply is not None:
            os.write(fd, struct.pack("=IiQ", 16 + len(reply), 0, unique) + reply)


def main(mountpoint: str) -> None:
    """Mount and serve."""
    fd = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    if libc.mount(b"hangfs", mountpoint.encode(), b"fuse.hangfs", 0, options) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    os.write(1, b"ready\n")
    serve(fd)


if __name__ == "__main__":
    main(sys.argv[1])
