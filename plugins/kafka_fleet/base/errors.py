"""The one error of the command line that is the user's to mend: its text is a sentence and the exit code is 2."""


class UsageError(ValueError):
    """Bad input: a file, a date, an id. The text says which and what is allowed."""
