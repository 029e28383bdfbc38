"""The error of the command line that the user can correct: its text is one sentence, the exit code is 2."""


class UsageError(ValueError):
    """Bad input: a file, a date, an id. The text says which and what is allowed."""
