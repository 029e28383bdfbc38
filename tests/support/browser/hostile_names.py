"""A name that would be markup, a script or a change of direction where a page shows it as it is."""

HOSTILE = "</title><script>alert(1)</script>\"onload='x' \u202e" + "x" * 400
