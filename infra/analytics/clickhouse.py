"""Creates the tables of clickhouse.sql in chdb, fills them from the lake, and prints counts and sums as JSON.

    clickhouse.py LAKE clickhouse.sql
"""

import json
import sys
from pathlib import Path

from chdb import session

from lake import data_files, open_tables

answers_wanted = {
    "entries": "select state, count() as entries, toString(sum(amount)) as total from state_events final group by state order by state",
    "transactions": "select state, count() as transactions from transactions final group by state order by state",
    "items": "select count() as items from items final",
    "days": "select count() as days, sum(length(windows)) as windows from days final",
    "receipts": "select count() as receipts, sum(attempts) as attempts from receipts final",
}


def fill(engine: session.Session, name: str, files: list[str]) -> None:
    described = json.loads(str(engine.query(f"describe table {name}", "JSON")))["data"]
    columns = ", ".join(column["name"] for column in described)
    for file in files:
        quoted = file.replace("'", "\\'")
        engine.query(f"insert into {name} ({columns}) select {columns} from file('{quoted}', Parquet)")


def main(lake: str, ddl: str) -> None:
    engine = session.Session()
    engine.query("create database lake engine = Atomic")
    engine.query("use lake")
    statements = "\n".join(line for line in Path(ddl).read_text().splitlines() if not line.startswith("--"))
    for statement in filter(str.strip, statements.split(";")):
        engine.query(statement)
    for name, table in open_tables(lake).items():
        fill(engine, name, data_files(table))
    answers = {name: json.loads(str(engine.query(sql, "JSON")))["data"] for name, sql in answers_wanted.items()}
    json.dump(answers, sys.stdout)


main(*sys.argv[1:])
