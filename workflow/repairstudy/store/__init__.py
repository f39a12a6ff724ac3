"""Files of rows: Parquet tables checked against the data contract, and the database of a study."""

from repairstudy.store.contract import check
from repairstudy.store.duckdb import build_database, open_database
from repairstudy.store.files import replacing
from repairstudy.store.parquet import read_parts, read_table, write_table

__all__ = [
    "build_database",
    "check",
    "open_database",
    "read_parts",
    "read_table",
    "replacing",
    "write_table",
]
