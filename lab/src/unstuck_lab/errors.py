"""The lab's errors; each message contains a remedy."""


class LabError(Exception):
    """A failed action of the lab.

    what: the failure. subject: the affected object. remedy: the action to take.
    The command line prints it as one line and exits with status 1.
    """

    def __init__(self, what: str, subject: str = "", remedy: str = "") -> None:
        self.what = what
        self.subject = subject
        self.remedy = remedy
        text = f"{subject}: {what}" if subject else what
        super().__init__(f"{text} ({remedy})" if remedy else text)


class CommandFailedError(LabError):
    """A command failed, or did not end in time. waited: the seconds waited, if it did not end."""

    def __init__(self, argv: list[str], status: int | None, output: str, waited: str = "") -> None:
        self.argv = argv
        self.status = status
        self.output = output
        lines = [line for line in output.strip().splitlines() if line.strip()]
        in_time = f"in {waited}" if waited else "in time"
        how = f"did not end {in_time}" if status is None else f"ended with status {status}"
        last = " | ".join(lines[-3:])
        super().__init__(f"{how}: {last}" if last else how, " ".join(argv[:6]))


class ApiError(LabError):
    """The API server answered with an error; `code` is the HTTP status."""

    def __init__(self, code: int, reason: str, message: str, subject: str) -> None:
        self.code = code
        self.reason = reason
        super().__init__(f"{code} {reason}: {message}", subject)


class TimedOutError(LabError):
    """A condition did not become true in the time allowed."""
