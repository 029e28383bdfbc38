"""The letter: from judged findings to HTML, text and mail."""
