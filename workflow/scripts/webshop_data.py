"""Prepare a WebShop catalogue once: products, goals, prices and the search index in one folder.

    python workflow/scripts/webshop_data.py small --out resources/webshop/small
    python workflow/scripts/webshop_data.py synthetic --products 1000 --out FOLDER
    python workflow/scripts/webshop_data.py full --products 100000 --human-goals --out FOLDER
    python workflow/scripts/webshop_data.py nouns --items FILE --out name_nouns.json

The published files are looked for in --files, then in $REPAIRSTUDY_DATA/webshop; whoever has
neither is told what to fetch. `synthetic` needs no file. `nouns` needs spaCy, the others do not.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from itertools import islice
from pathlib import Path

from repairstudy.environments.webshop.index import add_index
from repairstudy.environments.webshop.jsonfiles import elements
from repairstudy.environments.webshop.nouns import compute_nouns
from repairstudy.environments.webshop.prepare import prepare
from repairstudy.environments.webshop.published import SMALL_SUMS, full_source, small_source
from repairstudy.environments.webshop.synthetic import write_synthetic
from repairstudy.errors import StudyError

PLACE = Path("resources/webshop/files")


def prepare_catalogue(arguments: argparse.Namespace) -> None:
    """Prepare the catalogue that the command line asks for, and say what it holds."""
    kind, human = arguments.command, arguments.human_goals
    expected = None
    if kind == "synthetic":
        files = arguments.out / "files"
        source = write_synthetic(files, arguments.products, arguments.seed, human)
    elif kind == "small":
        source = small_source(_folders(arguments.files), human)
        expected = SMALL_SUMS[human]
    else:
        source = full_source(_folders(arguments.files), arguments.products, human)
    marker = prepare(
        source,
        arguments.out,
        kind,
        price_seed=arguments.price_seed,
        draws=arguments.draws,
        expected=expected,
        then=add_index,
    )
    print(
        f"webshop_data: {arguments.out}: {marker['products']} products, {marker['goals']} goals, "
        f"{marker['unreachable_goals']} of which cannot be met; {marker['fingerprint']}"
    )


def write_nouns(items: Path, out: Path, products: int | None) -> None:
    """Compute the nouns of all product names of a file of products."""
    names = {product["asin"]: product["name"] for product in islice(elements(items), products)}
    out.write_text(json.dumps(compute_nouns(names)), encoding="utf-8")
    print(f"webshop_data: {out}: nouns of {len(names)} names")


def _folders(files: Path) -> list[Path]:
    shared = os.environ.get("REPAIRSTUDY_DATA")
    return [files, *([Path(shared) / "webshop"] if shared else [])]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for kind, does in (
        ("small", "the published set of 1,000 products"),
        ("synthetic", "an invented catalogue"),
        ("full", "the published files, or the first so many of their products"),
    ):
        command = commands.add_parser(kind, help=does)
        command.add_argument("--out", type=Path, required=True, help="folder to prepare")
        command.add_argument("--human-goals", action="store_true", help="goals that people wrote")
        command.add_argument("--price-seed", type=int, default=0)
        command.add_argument(
            "--draws",
            choices=("original", "corrected"),
            default="original",
            help="whether each draw of prices and limits depends on its product alone",
        )
        if kind != "synthetic":
            command.add_argument("--files", type=Path, default=PLACE, help="published files")
        if kind != "small":
            command.add_argument(
                "--products", type=int, default=1000 if kind == "synthetic" else None
            )
        if kind == "synthetic":
            command.add_argument("--seed", type=int, default=0, help="of the invented products")
    nouns = commands.add_parser("nouns", help="nouns of product names, computed with spaCy")
    nouns.add_argument("--items", type=Path, required=True, help="file of products")
    nouns.add_argument("--out", type=Path, required=True)
    nouns.add_argument("--products", type=int, help="only the first so many")
    arguments = parser.parse_args()
    try:
        if arguments.command == "nouns":
            write_nouns(arguments.items, arguments.out, arguments.products)
        else:
            prepare_catalogue(arguments)
    except StudyError as error:
        sys.exit(f"webshop_data: {error}")


if __name__ == "__main__":
    main()
