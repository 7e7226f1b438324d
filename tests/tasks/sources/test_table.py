from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path
from uuid import UUID

import pytest
import sqlalchemy as sa

from agentmaker.errors import ConfigError, StoreError
from agentmaker.tasks.source import PAGE, Changing, TaskSource, Unreadable
from agentmaker.tasks.sources.records import RecordsSource

pytestmark = pytest.mark.anyio


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "ti ckets?.db"
    database = sqlite3.connect(path)
    with database:
        database.execute(
            "CREATE TABLE tickets (id INTEGER PRIMARY KEY, team TEXT, body TEXT, picture BLOB)"
        )
        database.executemany(
            "INSERT INTO tickets VALUES (?, ?, ?, ?)",
            [(2, "a", "Cold", b"x"), (1, "a", "Broken", None), (3, "b", "Loud", b"y")],
        )
    database.close()
    return path


def change(place: Path, statement: str, *values: object) -> None:
    database = sqlite3.connect(place)
    with database:
        database.execute(statement, values)
    database.close()


async def test_rows_are_listed_by_their_keys_and_read_one_by_one(place, told) -> None:
    source = RecordsSource.table(str(place), "tickets", key="id", title="body")
    assert isinstance(source, TaskSource)
    assert isinstance(source, Changing)
    found = await told(source)
    assert (found.refs, found.problems) == (["1", "2", "3"], [])
    assert (found.descriptors["1"].role, found.descriptors["1"].title) == ("record", "Broken")
    content = await source.read("1")
    assert content.text == "id: 1\nteam: a\nbody: Broken"
    assert content.revision == found.descriptors["1"].revision


async def test_columns_and_conditions_bound_what_can_be_listed_and_read(place, told) -> None:
    for where in ({"team": "a"}, sa.column("team") == "a"):
        source = RecordsSource.table(str(place), "tickets", key="id", columns=["body"], where=where)
        assert (await told(source)).refs == ["1", "2"]
        assert (await source.read("2")).text == "body: Cold"
        with pytest.raises(Unreadable, match="gone"):
            await source.read("3")


@pytest.mark.parametrize(
    "ref", ["", "9", "01", "1.0", " 1", "1 OR 1=1", "1'--", "x", "1" * 5_000, "²", "\0"]
)
async def test_a_ref_is_a_value_and_never_a_statement(place, ref) -> None:
    with pytest.raises(Unreadable):
        await RecordsSource.table(str(place), "tickets", key="id").read(ref)


async def test_a_value_that_looks_like_a_statement_is_a_value(place, told) -> None:
    change(place, "CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT)")
    name = "x'; DROP TABLE notes; --"
    change(place, "INSERT INTO notes VALUES (?, 'kept')", name)
    source = RecordsSource.table(str(place), "notes", key="name", where={"name": name})
    assert (await told(source)).refs == [name]
    assert "kept" in (await source.read(name)).text


async def test_more_rows_than_a_page_are_all_listed(place, told) -> None:
    change(
        place,
        "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
        " INSERT INTO tickets SELECT i, 'c', 'x', NULL FROM n",
        10 + 2 * PAGE,
    )
    source = RecordsSource.table(str(place), "tickets", key="id")
    assert len((await told(source)).refs) == 2 * PAGE + 4
    exact = RecordsSource.table(str(place), "tickets", key="id", where={"team": "c"})
    assert len((await told(exact)).refs) == 2 * PAGE + 1


async def test_changed_rows_are_told(place, told) -> None:
    source = RecordsSource.table(str(place), "tickets", key="id")
    known = (await told(source)).descriptors
    change(place, "UPDATE tickets SET body = 'Colder' WHERE id = 2")
    change(place, "UPDATE tickets SET picture = x'00' WHERE id = 3")
    change(place, "DELETE FROM tickets WHERE id = 1")
    changes = await source.changes(known)
    assert [each.ref for each in changes.descriptors] == ["2"]
    assert changes.gone == ("1",)


async def test_keys_that_are_missing_or_repeated_are_told(place, told) -> None:
    change(place, "CREATE TABLE notes (name TEXT, text TEXT)")
    for name in ("a", None, "b", "b", "c", None):
        change(place, "INSERT INTO notes VALUES (?, 'x')", name)
    source = RecordsSource.table(str(place), "notes", key="name")
    found = await told(source)
    assert found.refs == ["a", "c"]
    assert found.reasons == {"": "missing_field", "b": "invalid"}
    with pytest.raises(Unreadable, match="more than one"):
        await source.read("b")


async def test_a_name_in_other_letters_is_another_name(place) -> None:
    change(place, "CREATE TABLE notes (name TEXT PRIMARY KEY COLLATE NOCASE, text TEXT)")
    change(place, "INSERT INTO notes VALUES ('Door', 'x')")
    source = RecordsSource.table(str(place), "notes", key="name")
    assert "Door" in (await source.read("Door")).text
    with pytest.raises(Unreadable):
        await source.read("DOOR")


async def test_keys_of_many_types_are_read_as_they_are_listed(tmp_path, told) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path}/keys.db", poolclass=sa.NullPool)
    values = {
        "days": (sa.Date(), date(2026, 1, 2)),
        "ids": (sa.Uuid(), UUID(int=7)),
        "parts": (sa.Float(), 0.5),
    }
    data = sa.MetaData()
    with engine.begin() as connection:
        for name, (kind, value) in values.items():
            table = sa.Table(name, data, sa.Column("key", kind, primary_key=True))
            table.create(connection)
            connection.execute(table.insert().values(key=value))
    for name in ("days", "parts"):
        source = RecordsSource.table(engine, name, key="key")
        (ref,) = (await told(source)).refs
        assert ref == str(values[name][1])
        assert ref in (await source.read(ref)).text


async def test_a_file_is_opened_to_be_read_alone(place) -> None:
    source = RecordsSource.table(str(place), "tickets", key="id")
    with (
        source._engine.connect() as connection,
        pytest.raises(sa.exc.OperationalError, match="readonly"),
    ):
        connection.execute(sa.text("DELETE FROM tickets"))


async def test_a_table_or_column_that_is_not_there_is_named(place, told) -> None:
    for table, options in [
        ("nothing", {"key": "id"}),
        ("tickets", {"key": "nothing"}),
        ("tickets", {"key": "id", "columns": ["nothing"]}),
        ("tickets", {"key": "id", "where": {"nothing": 1}}),
    ]:
        with pytest.raises(ConfigError, match="nothing"):
            await told(RecordsSource.table(str(place), table, **options))


async def test_bytes_are_told_where_they_are_asked_for(place, told) -> None:
    source = RecordsSource.table(str(place), "tickets", key="id", columns=["body", "picture"])
    found = await told(source)
    assert found.refs == ["1"]
    assert found.reasons == {"2": "invalid", "3": "invalid"}


async def test_a_database_that_fails_is_a_store_error_without_content(place, told) -> None:
    source = RecordsSource.table(str(place), "tickets", key="id")
    await told(source)
    change(place, "DROP TABLE tickets")
    with pytest.raises(StoreError, match="OperationalError"):
        await told(source)
    with pytest.raises(Unreadable, match="unreadable"):
        await source.read("1")


@pytest.mark.parametrize(
    ("url", "table", "options"),
    [
        ("missing.db", "tickets", {"key": "id"}),
        ("sqlite://", "tickets", {"key": "id"}),
        ("sqlite:///:memory:", "tickets", {"key": "id"}),
        ("no scheme://x", "tickets", {"key": "id"}),
        ("nosuchdialect://user:password@host/x", "tickets", {"key": "id"}),
        (5, "tickets", {"key": "id"}),
        (None, "", {"key": "id"}),
        (None, "tickets", {"key": ""}),
        (None, "tickets", {"key": None}),
        (None, "tickets", {"key": "id", "columns": "body"}),
        (None, "tickets", {"key": "id", "columns": []}),
        (None, "tickets", {"key": "id", "columns": ["id"], "text": "body"}),
        (None, "tickets", {"key": "id", "where": "team = 'a'"}),
        (None, "tickets", {"key": "id", "id": ""}),
    ],
)
async def test_a_setting_that_cannot_work_is_refused(place, url, table, options) -> None:
    with pytest.raises(ConfigError) as refused:
        RecordsSource.table(str(place) if url is None else url, table, **options)
    assert "password" not in str(refused.value).replace("percent-encode its password", "")


async def test_an_id_is_of_the_table_and_of_what_is_read_of_it(place) -> None:
    def source(**options: object):
        return RecordsSource.table(str(place), "tickets", **{"key": "id", **options})

    assert source().id == source().id
    assert source(where=sa.column("team") == "a").id == source(where=sa.column("team") == "a").id
    others = [
        source(),
        source(key="body"),
        source(columns=["body"]),
        source(where={"team": "a"}),
        source(where={"team": "b"}),
        source(where=sa.column("team") == "a"),
        source(where=sa.column("team") == "b"),
        source(id="mine"),
    ]
    assert len({each.id for each in others}) == len(others)


async def test_a_table_is_named_without_its_password() -> None:
    engine = sa.create_engine("postgresql+psycopg://user:secret@host/db", poolclass=sa.NullPool)
    source = RecordsSource.table(engine, "tickets", key="id")
    assert "secret" not in repr(source)
    assert "tickets" in repr(source)


@pytest.mark.parametrize(
    ("columns", "rows", "texts"),
    [
        ("k DATE, v", [("2024-01-02", 1), ("soon", 2)], ["k: 2024-01-02\nv: 1", "k: soon\nv: 2"]),
        ("k INTEGER, v JSON", [(1, "[7]"), (2, "{")], ["k: 1\nv:\n  - 7", 'k: 2\nv: "{"']),
        ("k, v", [(1, "x"), ("two", None)], ["k: 1\nv: x", "k: two\nv: null"]),
        ("k TIMESTAMP", [("2024-01-02 03:04:05",)], ["k: 2024-01-02 03:04:05"]),
    ],
)
async def test_a_value_that_is_not_of_its_columns_type_is_shown_as_it_is(
    tmp_path, told, columns, rows, texts
) -> None:
    file = tmp_path / "odd.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"CREATE TABLE odd({columns})")
        for row in rows:
            connection.execute(f"INSERT INTO odd VALUES ({', '.join('?' * len(row))})", row)
    source = RecordsSource.table(file, "odd", key="k")
    assert [(await source.read(ref)).text for ref in (await told(source)).refs] == texts


async def test_text_that_is_no_utf8_costs_no_other_row(tmp_path, told) -> None:
    file = tmp_path / "odd.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE odd(k INTEGER PRIMARY KEY, v TEXT)")
        connection.execute("INSERT INTO odd VALUES (1, 'ok'), (2, CAST(x'ff41' AS TEXT))")
    source = RecordsSource.table(file, "odd", key="k", text="v")
    assert [(await source.read(ref)).text for ref in (await told(source)).refs] == ["ok", "\ufffdA"]


async def test_a_view_is_read_like_a_table(tmp_path, told) -> None:
    file = tmp_path / "odd.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE base(k INTEGER PRIMARY KEY, v TEXT)")
        connection.execute("INSERT INTO base VALUES (1, 'x')")
        connection.execute("CREATE VIEW odd AS SELECT k * 10 AS k, v || '!' AS v FROM base")
    source = RecordsSource.table(file, "odd", key="k", text="v")
    assert (await told(source)).refs == ["10"]
    assert (await source.read("10")).text == "x!"
