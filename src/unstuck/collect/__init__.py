"""The only code that meets a server, a kernel, a socket or a file; everything becomes facts here."""
