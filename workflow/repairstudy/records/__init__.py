"""Typed rows, their schemas, and the keys and seeds that identify everything."""

from repairstudy.records.keys import canonical_json, digest, generator, seed_of
from repairstudy.records.tables import TABLES, Column, Table

__all__ = ["TABLES", "Column", "Table", "canonical_json", "digest", "generator", "seed_of"]
