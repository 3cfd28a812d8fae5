"""Container runtimes: from their files and /proc first, then over their sockets. Standard library, and h2
for gRPC.
"""
