"""Answers SQL files over the lake, and prints the answers as one JSON document.

    lake.py LAKE VIEWS.sql NAME=QUESTION.sql ...

pyiceberg names the data files of each table's newest snapshot; DuckDB reads them. A table that has no record yet is
left out, and a question that needs it says so.
"""

import json
import sys
from pathlib import Path

import duckdb
from pyiceberg.table import StaticTable


def newest_metadata(table: Path) -> Path:
    """The hint can lag behind: versions above it are looked for."""
    folder = table / "metadata"
    version = int((folder / "version-hint.text").read_text())
    while (folder / f"v{version + 1}.metadata.json").exists():
        version += 1
    return folder / f"v{version}.metadata.json"


def open_tables(lake: str) -> dict[str, StaticTable]:
    folders = [hint.parent.parent for hint in sorted(Path(lake, "sluice").glob("*/metadata/version-hint.text"))]
    return {folder.name: StaticTable.from_metadata(str(newest_metadata(folder))) for folder in folders}


def data_files(table: StaticTable) -> list[str]:
    return [task.file.file_path.removeprefix("file:") for task in table.scan().plan_files()]


def create_table_view(connection: duckdb.DuckDBPyConnection, name: str, table: StaticTable) -> None:
    files = data_files(table)
    if files:
        names = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
        source = f"read_parquet([{names}], union_by_name = true, hive_partitioning = false)"
        connection.execute(f'create view "{name}" as select * from {source}')
    else:
        empty = table.schema().as_arrow().empty_table()
        connection.register(name, empty)


def main(lake: str, views: str, *questions: str) -> None:
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    for name, table in open_tables(lake).items():
        create_table_view(connection, name, table)
    for statement in connection.extract_statements(Path(views).read_text()):
        try:
            connection.execute(statement)
        except duckdb.CatalogException:
            pass  # Its table has no record yet.
    answers = {}
    for question in questions:
        name, _, path = question.partition("=")
        try:
            asked = connection.execute(Path(path).read_text())
            columns = [column[0] for column in asked.description]
            rows = [[None if value is None else str(value) for value in row] for row in asked.fetchall()]
            answers[name] = {"columns": columns, "rows": rows}
        except duckdb.CatalogException as error:
            answers[name] = {"problem": f"a table that it asks has no record yet ({str(error).splitlines()[0]})"}
        except duckdb.BinderException as error:
            answers[name] = {"problem": str(error).splitlines()[0]}
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
