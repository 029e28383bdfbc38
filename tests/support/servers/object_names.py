"""Names of MBeans as a JVM writes them."""


def quoted(text: str) -> str:
    """As javax.management.ObjectName.quote writes it."""
    escaped = "".join("\\n" if c == "\n" else f"\\{c}" if c in '"*?\\' else c for c in text)
    return f'"{escaped}"'
