"""The causes, one module each: `FAMILY/CAUSE.py`, its Chinese page and its cases beside it. The engine
walks this package.
"""
