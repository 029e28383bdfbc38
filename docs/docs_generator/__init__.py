"""Content of the generated documentation, one module per kind of page; `docs/generate.py` writes what they give."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
