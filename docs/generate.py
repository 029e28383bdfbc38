"""Writes the generated parts of the documentation: takes schemas, signature folders and advisories.

    python docs/generate.py            rewrite what is out of step, remove what is left over, and name it
    python docs/generate.py --check    only name it; exit code 1 when there is anything

Some pages are generated as a whole (docs/advisories/, docs/reference/ but its index, the other indexes, docs/faults.md,
docs/proofs.md, docs/symptoms.md, docs/unmeasured_symptoms.md, docs/mechanisms/, the agent's policy, the exporter's
rules). Others hold blocks, between `<!-- generated: NAME -->` and `<!-- end: NAME -->`, with prose around them that is
written by hand.
"""

import argparse
import sys
from functools import cache
from pathlib import Path

from docs_generator import (
    ROOT,
    advisory_pages,
    check_tables,
    column_page,
    command_page,
    corpus_table,
    discover_examples,
    document_pages,
    fault_pages,
    file_page,
    knowledge_sums,
    letter_table,
    mark_table,
    mart_pages,
    mechanism_files,
    proof_pages,
    settings_page,
    signature_pages,
    symptom_page,
    trust_tables,
)
from docs_generator.markdown import fill
from docs_generator.raw_pages import METRIC_TABLES, REQUEST_TABLES, raw_tables
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.schema.access_policy import access_policy
from kafka_fleet.schema.endpoint_tables import ENDPOINT_TABLES
from kafka_fleet.schema.exporter_rules import rules_file
from kafka_fleet.schema.look_tables import LOOK_TABLES
from kafka_fleet.schema.quorum_tables import QUORUM_TABLES
from kafka_fleet.schema.raw_tables import ADMIN_TABLES
from kafka_fleet.schema.transaction_tables import TRANSACTION_TABLES

Pages = dict[str, str]


@cache
def whole() -> Pages:
    """Text of every page that is generated as a whole, by its path."""
    pages = {
        f"{advisory_pages.FOLDER}/{one.id}.md": advisory_pages.advisory_page(one) for one in load_advisories().values()
    }
    return {
        **pages,
        f"{advisory_pages.FOLDER}/README.md": advisory_pages.advisory_index(),
        f"{signature_pages.FOLDER}/README.md": signature_pages.signature_index(),
        **{
            f"{signature_pages.REFERENCE}/{one.id}.md": signature_pages.reference_page(one)
            for one in load_signatures().values()
        },
        f"{signature_pages.REFERENCE}/README.md": signature_pages.reference_index(),
        **mechanism_files.mechanism_files(),
        fault_pages.PAGE: fault_pages.fault_page(),
        proof_pages.PAGE: proof_pages.proof_page(),
        **document_pages.document_pages(),
        **symptom_page.symptom_pages(),
        settings_page.PAGE: settings_page.settings_page(),
        command_page.PAGE: command_page.command_page(),
        command_page.INNER: command_page.inner_page(),
        column_page.PAGE: column_page.column_page(),
        file_page.PAGE: file_page.file_page(),
        file_page.PARTS: file_page.part_page(),
        **mart_pages.mart_pages(),
        mark_table.MODULE: mark_table.mark_module(),
        "docs/jolokia-access.xml": access_policy(),
        knowledge_sums.FILE: knowledge_sums.sums(),
        "docs/exporter-rules.yml": rules_file(),
    }


def filled(root: Path = ROOT) -> Pages:
    """Text that every page with blocks should have; a signature without a page gets one of its blocks alone."""
    blocks = {
        "README.md": {"signatures": signature_pages.readme_table()},
        discover_examples.PAGE: discover_examples.blocks(),
        "docs/conditions.md": {"conditions": check_tables.condition_table()},
        "docs/letters.md": {"recorded letters": letter_table.letter_table()},
        "docs/trust.md": {"faults": check_tables.fault_table()},
        "docs/error_rates.md": trust_tables.blocks() | corpus_table.blocks(),
        "docs/raw_tables.md": {"raw tables": raw_tables(ADMIN_TABLES)},
        "docs/raw_transactions.md": {"raw tables": raw_tables(TRANSACTION_TABLES)},
        "docs/raw_quorum.md": {"raw tables": raw_tables(QUORUM_TABLES)},
        "docs/raw_endpoints.md": {"raw tables": raw_tables(ENDPOINT_TABLES)},
        "docs/looks.md": {"look tables": raw_tables(LOOK_TABLES)},
        "docs/log_marks.md": {"log marks": mark_table.mark_table()},
        "docs/raw_metrics.md": {"raw tables": raw_tables(METRIC_TABLES)},
        "docs/raw_requests.md": {"raw tables": raw_tables(REQUEST_TABLES)},
    }
    pages = {}
    for one in load_signatures().values():
        page = f"{signature_pages.FOLDER}/{one.id}.md"
        if (root / page).is_file():
            blocks[page] = signature_pages.signature_blocks(one)
        else:
            pages[page] = signature_pages.new_page(one)
    for page, named in blocks.items():
        text = (root / page).read_text(encoding="utf-8")
        for name, content in named.items():
            text = fill(text, name, content)
        pages[page] = text
    return pages


def outdated(root: Path = ROOT) -> dict[str, str | None]:
    """Pages that are out of step or missing with the text they should have; None for one that is left over."""
    wanted = {**filled(root), **whole()}
    found: dict[str, str | None] = {}
    for page, text in wanted.items():
        path = root / page
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            found[page] = text
    folders = (advisory_pages.FOLDER, signature_pages.FOLDER, signature_pages.REFERENCE, mart_pages.FOLDER)
    for folder in (*folders, mechanism_files.FOLDER):
        there = {path.relative_to(root).as_posix() for path in (root / folder).glob("*")}
        found |= dict.fromkeys(sorted(there - set(wanted)))
    return found


def main(arguments: list[str]) -> int:
    """Entry point; exit code 1 only for --check with something out of step."""
    parser = argparse.ArgumentParser(description="Write the generated parts of the documentation.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a page is out of step")
    check = parser.parse_args(arguments).check
    pages = outdated()
    for page, text in pages.items():
        if check:
            print(f"{page}: {'left over' if text is None else 'out of step'}")
            continue
        path = ROOT / page
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        print(f"{page}: {'removed' if text is None else 'written'}")
    return 1 if check and pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
