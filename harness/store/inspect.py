"""Looking a database over before diskcache opens it, which trusts what it finds."""

import sqlite3
from contextlib import closing
from pathlib import Path

from diskcache.core import DEFAULT_SETTINGS, METADATA, MODE_RAW

from harness.store.envelope import Damaged

_KNOWN_SETTINGS = frozenset(DEFAULT_SETTINGS) | frozenset(METADATA)
# A row with an end would vanish by itself; one with a file or a mode would be opened or unpickled.
_FOREIGN_ROWS = (
    "SELECT COUNT(*) FROM Cache WHERE typeof(key) != 'text' OR raw != 1 OR expire_time IS NOT NULL"
    f" OR mode != {MODE_RAW} OR filename IS NOT NULL OR typeof(value) != 'blob'"
)
_RELATIONS = "SELECT type, name FROM sqlite_master WHERE type NOT IN ('index', 'trigger')"
_KNOWN_RELATIONS = frozenset({("table", "Cache"), ("table", "Settings")})


def check_database(path: Path) -> None:
    """Check that a database is whole and holds only rows that the store writes.

    Its index is checked against its rows: a row that the index lost would be
    paid for again. A database that is not there, or empty, is fine.

    Raises:
        Damaged: It is not such a database.
        sqlite3.DatabaseError: It cannot be read as a database.
    """
    if not path.exists():
        return
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        relations = set(connection.execute(_RELATIONS))
        if not relations <= _KNOWN_RELATIONS:
            raise Damaged(f"holds {min(relations - _KNOWN_RELATIONS)[1]}, which the harness does not write")
        if ("table", "Settings") in relations:
            _check_settings(connection)
        if ("table", "Cache") in relations:
            _check_rows(connection)


def _check_settings(connection: sqlite3.Connection) -> None:
    # diskcache sets each as a pragma or as an attribute of itself.
    settings = {key for (key,) in connection.execute("SELECT key FROM Settings")}
    if not settings <= _KNOWN_SETTINGS:
        raise Damaged("holds settings that the harness does not write")


def _check_rows(connection: sqlite3.Connection) -> None:
    ((verdict,),) = connection.execute("PRAGMA integrity_check(1)").fetchall()
    if verdict != "ok":
        raise Damaged(f"the database is damaged: {verdict}")
    ((n_foreign,),) = connection.execute(_FOREIGN_ROWS).fetchall()
    if n_foreign:
        raise Damaged(f"holds {n_foreign} rows that the harness does not write")
