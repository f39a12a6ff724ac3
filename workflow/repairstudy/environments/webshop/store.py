"""Products and goals on disk: Arrow files that are mapped into memory and read row by row.

Opening costs nothing that grows with the catalogue, and processes share the pages they touch.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, overload

import pyarrow as pa

from repairstudy.environments.files import read_object
from repairstudy.environments.webshop.goals import Goal
from repairstudy.environments.webshop.product import Product
from repairstudy.errors import DataError

BATCH = 4096  # rows written together; only the last batch of a file has fewer
REMEMBERED = 4096  # rows kept as objects: some ten megabytes
AGAIN = "Prepare the catalogue again."
PRODUCTS = "products.arrow"
GOALS = "goals.arrow"
MARKER = "prepared.json"  # written last: a folder without it is not prepared
HOW_TO_PREPARE = "Make it with workflow/scripts/webshop_data.py (see its --help)."
FORMAT = 1  # of these files; a reader refuses any other

_TEXTS = pa.list_(pa.string())
PRODUCT_SCHEMA = pa.schema(
    {
        "asin": pa.string(),
        "name": pa.string(),
        "description": pa.string(),
        "bullets": _TEXTS,
        "price": pa.float64(),
        "price_tag": pa.string(),
        "category": pa.string(),
        "query": pa.string(),
        "product_category": pa.string(),
        "options": pa.list_(pa.struct({"group": pa.string(), "values": _TEXTS})),
        "attributes": _TEXTS,
        "nouns": _TEXTS,
    }
)
GOAL_SCHEMA = pa.schema(
    {
        "goal_id": pa.string(),
        "index": pa.int64(),
        "asin": pa.string(),
        "instruction": pa.string(),
        "query": pa.string(),
        "product_category": pa.string(),
        "nouns": _TEXTS,
        "attributes": _TEXTS,
        # the group is null where a person named a value alone
        "options": pa.list_(pa.struct({"group": pa.string(), "value": pa.string()})),
        "price_upper": pa.float64(),
        "weight": pa.float64(),
        "reachable": pa.bool_(),
        "reason": pa.string(),
    }
)
Row = TypeVar("Row")


class Rows(Sequence[Row]):
    """The rows of an Arrow file as objects, each made when it is asked for.

    Raises:
        DataError: the file is missing or broken, or its columns are not those of the schema.
    """

    def __init__(
        self, path: Path, schema: pa.Schema, made: Callable[[dict[str, Any]], Row]
    ) -> None:
        self._batches = _mapped(path, schema)
        self._columns = [batch.columns for batch in self._batches]
        self._names = schema.names
        self._made = made
        self._length = sum(batch.num_rows for batch in self._batches)
        self._row = lru_cache(REMEMBERED)(self._read)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, position: int) -> Row: ...
    @overload
    def __getitem__(self, position: slice) -> list[Row]: ...
    def __getitem__(self, position: int | slice) -> Row | list[Row]:
        if isinstance(position, slice):
            return [self[place] for place in range(*position.indices(self._length))]
        if not 0 <= position < self._length:
            raise IndexError(position)
        return self._row(position)

    def column(self, name: str) -> list[Any]:
        """The values of one column in all rows."""
        return [value for batch in self._batches for value in batch.column(name).to_pylist()]

    def _read(self, position: int) -> Row:
        columns, row = self._columns[position // BATCH], position % BATCH
        values = [column[row].as_py() for column in columns]
        return self._made(dict(zip(self._names, values, strict=True)))


def read_marker(folder: Path) -> dict[str, Any]:
    """What is known about a prepared catalogue (see `prepare`).

    Raises:
        DataError: the folder was not prepared, or by another version.
    """
    path = folder / MARKER
    if not path.exists():
        raise DataError(folder, "is not a prepared catalogue.", HOW_TO_PREPARE)
    marker = read_object(path, AGAIN)
    if marker.get("format") != FORMAT:
        raise DataError(path, f"is of format {marker.get('format')}, not {FORMAT}.", AGAIN)
    return marker


def open_products(path: Path) -> Rows[Product]:
    """The products of a prepared catalogue."""
    return Rows(path, PRODUCT_SCHEMA, _product)


def open_goals(path: Path) -> Rows[Goal]:
    """The goals of a prepared catalogue."""
    return Rows(path, GOAL_SCHEMA, _goal)


def write_rows(path: Path, schema: pa.Schema, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows as they come, holding one batch at a time; the file appears whole.

    It is written beside its place and renamed: a process that has the old one mapped keeps it.
    """
    left = iter(rows)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        with pa.OSFile(str(part), "wb") as file, pa.ipc.new_file(file, schema) as writer:
            while batch := list(islice(left, BATCH)):
                writer.write_batch(pa.RecordBatch.from_pylist(batch, schema=schema))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def product_row(product: Product) -> dict[str, Any]:
    """A product as a row of its file: JSON types only."""
    row = _fields(product, PRODUCT_SCHEMA)
    row["options"] = [
        {"group": group, "values": list(values)} for group, values in product.options.items()
    ]
    return row


def goal_row(goal: Goal) -> dict[str, Any]:
    """A goal as a row of its file: JSON types only."""
    row = _fields(goal, GOAL_SCHEMA)
    row["options"] = [
        {"group": None, "value": option}
        if isinstance(option, str)
        else {"group": option[0], "value": option[1]}
        for option in goal.options
    ]
    return row


def _product(row: dict[str, Any]) -> Product:
    row["options"] = {option["group"]: tuple(option["values"]) for option in row["options"]}
    for name in ("bullets", "attributes", "nouns"):
        row[name] = tuple(row[name])
    return Product(**row)


def _goal(row: dict[str, Any]) -> Goal:
    row["options"] = tuple(
        option["value"] if option["group"] is None else (option["group"], option["value"])
        for option in row["options"]
    )
    for name in ("attributes", "nouns"):
        row[name] = tuple(row[name])
    return Goal(**row)


def _fields(record: Product | Goal, schema: pa.Schema) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in schema.names}
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}


def _mapped(path: Path, schema: pa.Schema) -> list[pa.RecordBatch]:
    try:
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
        batches = [reader.get_batch(number) for number in range(reader.num_record_batches)]
    except FileNotFoundError as error:
        raise DataError(path, "does not exist.", AGAIN) from error
    except (OSError, pa.ArrowInvalid) as error:
        raise DataError(path, f"is not a whole Arrow file ({error}).", AGAIN) from error
    if not reader.schema.equals(schema):
        raise DataError(path, "has the columns of another version.", AGAIN)
    return batches
