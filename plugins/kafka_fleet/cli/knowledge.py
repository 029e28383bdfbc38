"""`kafka-fleet knowledge`: packs of knowledge are shown, built, installed, tried on stored days and chosen."""

import argparse
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from kafka_fleet.base.errors import UsageError
from kafka_fleet.cli.commands import table
from kafka_fleet.cli.knowledge_preview import preview
from kafka_fleet.knowledge.pack import BUILTIN, SUMS, Pack, builtin_pack, read_folder, sums_of
from kafka_fleet.knowledge.pack_archive import ENDING, archive_of
from kafka_fleet.knowledge.pack_check import contents_of
from kafka_fleet.knowledge.pack_signature import ENDING as SIGNATURE
from kafka_fleet.knowledge.pack_signature import sign
from kafka_fleet.knowledge.pack_source import given_files
from kafka_fleet.store.files import replace_file
from kafka_fleet.store.knowledge_packs import choose, chosen_pack, install, installed_pack, installed_versions, staged

Run = Callable[[argparse.Namespace], int]


def add_knowledge(verb: Callable[..., argparse.ArgumentParser], day: Callable[[str], str]) -> None:
    """Add the verb with its own verbs. day: reads a date."""
    about = "show, build, install, try or choose a pack of known issues, releases and vendors' builds"
    group = verb("knowledge", show, about, None, home=False, ds=False)
    verbs = group.add_subparsers(dest="action", required=True)

    def action(name: str, run: Run, about: str, home: bool) -> argparse.ArgumentParser:
        sub = verbs.add_parser(name, help=about, description=about)
        sub.set_defaults(run=run)
        text = "folder or s3a://bucket/prefix with all stored data"
        sub.add_argument("--home", required=home, metavar="H", help=text)
        return sub

    action("show", show, "print the packs that there are, and which one is used", False)
    made = action("build", build, "write a pack as one file; equal content gives equal bytes", False)
    made.add_argument("output", type=Path, metavar=f"OUT{ENDING}", help="the file; with --key its signature beside it")
    made.add_argument("--from", dest="source", type=Path, metavar="DIR", help="its folder; default: the program's own")
    made.add_argument("--key", type=Path, metavar="PEM", help="private key of Ed25519 that signs it")
    put = action("install", install_pack, "check a pack and put it into the home; it is not used yet", True)
    tried = action("preview", preview, "judge stored days with it and print what it changes; publish nothing", True)
    for sub in (put, tried):
        sub.add_argument("source", type=Path, metavar="FILE|DIR", help="the pack: an archive or a folder")
    tried.add_argument("--fleet", type=Path, metavar="F", help="fleet file")
    tried.add_argument("--from", dest="first", type=day, metavar="D", help="the first day; default: the newest stored")
    tried.add_argument("--to", dest="last", type=day, metavar="D", help="the last day; default: the newest stored")
    tried.add_argument("--format", choices=["json", "table"], default="table", help="default: table")
    used = action("use", use, "choose the pack that days are judged by from now on", True)
    used.add_argument("name", metavar="VERSION|builtin", help="an installed version, or builtin: the program's own")
    for sub in (put, used):
        sub.add_argument("--older", action="store_true", help="though it is older than the program's own or another")


def show(options: argparse.Namespace) -> int:
    """One row for each pack; `*` is before the one that is used."""
    home = options.home
    packs = [builtin_pack()] + ([installed_pack(home, one) for one in installed_versions(home)] if home else [])
    used = chosen_pack(home) if home else builtin_pack()
    rows = []
    for pack in packs:
        found = contents_of(pack)
        mark, place = "*" if pack == used else "", "the program" if pack.builtin else str(home)
        counts = ", ".join(f"{count} {name}" for name, count in found.counts.items())
        rows.append([mark, pack.version, pack.checksum[:12], place, found.as_of, counts])
    table(["", "version", "checksum", "from", "releases up to", "content"], rows)
    return 0


def build(options: argparse.Namespace) -> int:
    """The archive, and its signature where a key is given. What no program of this version would take is not built."""
    if not options.output.name.endswith(ENDING):
        raise UsageError(f"{options.output}: the name of a pack's file ends in {ENDING}")
    files = read_folder(options.source or BUILTIN, strict=options.source is not None)
    files[SUMS] = sums_of(files)
    with TemporaryDirectory(prefix="kafka-fleet-knowledge-") as folder:
        pack = staged(files, str(options.source or "the program's own pack"), Path(folder))
    content = archive_of(files, f"kafka-fleet-knowledge-{pack.version}")
    signature = sign(content, options.key) if options.key else None
    replace_file(options.output, content)
    if signature is not None:
        replace_file(options.output.with_name(options.output.name + SIGNATURE), signature)
    print(f"{options.output}: {_words(pack)}{', signed' if signature else ''}")
    return 0


def install_pack(options: argparse.Namespace) -> int:
    """Check everything, then put it there whole or not at all."""
    pack, new = install(options.home, given_files(options.source), str(options.source), options.older)
    print(f"{_words(pack)} is {'installed' if new else 'there already'}")
    if pack != chosen_pack(options.home):
        print("It is not used yet: `kafka-fleet knowledge preview` says what it changes, `use` chooses it.")
    return 0


def use(options: argparse.Namespace) -> int:
    """Days that are judged from now on rest on it; what is published of others stays as it is."""
    pack = choose(options.home, options.name, options.older)
    print(f"{_words(pack)} is used")
    if (now := chosen_pack(options.home)) != pack:
        print(f"KAFKA_FLEET_KNOWLEDGE goes before it: here {now} is used")
    return 0


def _words(pack: Pack) -> str:
    return f"knowledge {pack}{' of the program' if pack.builtin else ''}"
