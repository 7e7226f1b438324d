"""`RecordsSource`: records of a program, or of a database's table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agentmaker.errors import ConfigError
from agentmaker.tasks.source import LONGEST_READ, Content, Descriptor, Problem, Unreadable
from agentmaker.tasks.sources.fingerprint import Fingerprint, fingerprint_of
from agentmaker.tasks.sources.identity import RECORDS, checked_id, records_id
from agentmaker.tasks.sources.listing import ListedSource, Listing
from agentmaker.tasks.sources.record_mapping import (
    Described,
    Field,
    Record,
    RecordMapping,
    readable_text,
)
from agentmaker.tasks.sources.record_refs import refs_for
from agentmaker.tasks.sources.records_input import RecordsInput, read_records_input
from agentmaker.tasks.sources.table import TableSource
from agentmaker.tasks.sources.texts import part_of, revision_of
from agentmaker.tasks.sources.threads import in_thread


@dataclass(frozen=True, slots=True)
class _Row:
    """A record as it was listed; its *fingerprint* differs once anything in it does."""

    record: Record
    fingerprint: Fingerprint | None
    described: Described


class RecordsSource(ListedSource):
    """Records as YAML, in the order of their fields; a record changed in place is seen.

    - A record without its key, or with one that another has, is told of, and offered by its place
      as ``#0``, ``#1`` and so on; so is every record where no *key* is named.
    - A record without its text, or with what cannot be shown, is a problem.

    Args:
        records: a list of mappings, looked at anew each time; anything else that can be gone
            through, which is read here and now; or a function, sync or async, that gives them
            and is called for each listing.
        key: the field whose value names a record; a value of its own for each.
        text: the field to show, or a function of the record; None for the whole record.
        title: likewise; None for the key.
        id: by default made of *name*: give sources of other data other names. An index that is
            kept takes none without.

    Raises:
        ConfigError: *records* holds none, or a setting cannot work.
    """

    kind = "records"
    table = TableSource
    """The rows of a table of a database."""

    def __init__(
        self,
        records: RecordsInput,
        *,
        key: str | None = None,
        text: Field | None = None,
        title: Field | None = None,
        id: str | None = None,
        name: str = RECORDS,
    ) -> None:
        self.name = _checked_name(name)
        self.id = checked_id(id) or records_id(name)
        self._given = read_records_input(records)
        self._mapping = RecordMapping(key, text, title)
        self._rows: dict[str, _Row] = {}
        self._listed = False

    def __repr__(self) -> str:
        return f"RecordsSource(name={self.name!r})"

    async def listing(self, known: Mapping[str, Descriptor]) -> Listing:
        records = await self._given()
        self._rows, problems = await in_thread(_rows, self._mapping, records, self._rows, known)
        self._listed = True
        return await in_thread(_listing, self._rows, problems)

    async def read(self, ref: str, *, start: int = 0, limit: int = LONGEST_READ) -> Content:
        """At most *limit* characters of one record of the last listing, as it is now.

        Raises:
            Unreadable: there is none of that ref, or it cannot be shown.
        """
        if not self._listed:
            await self.listing({})
        row = self._rows.get(ref)
        if row is None:
            raise Unreadable("gone: no record has this ref")
        text = await in_thread(readable_text, self._mapping, ref, row.record)
        return part_of(text, revision_of(text.encode()), start, limit)


def _rows(
    mapping: RecordMapping,
    records: Sequence[object],
    known: Mapping[str, _Row],
    told: Mapping[str, Descriptor],
) -> tuple[dict[str, _Row], list[Problem]]:
    """The records by ref; those that *known* has as they are now are not made anew."""
    named, problems = refs_for(mapping, records)
    rows = {}
    for ref, record in named.items():
        row, fingerprint = known.get(ref), fingerprint_of(record)
        if row is None or fingerprint is None or row.fingerprint != fingerprint:
            row = _Row(record, fingerprint, mapping.described(ref, record).as_told(told.get(ref)))
        rows[ref] = row if row.record is record else replace(row, record=record)
    return rows, problems


def _listing(rows: Mapping[str, _Row], problems: Iterable[Problem]) -> Listing:
    offered = {
        ref: row.described.descriptor for ref, row in rows.items() if row.described.descriptor
    }
    told = (problem for row in rows.values() for problem in row.described.problems)
    return Listing(offered, [*problems, *told])


def _checked_name(name: object) -> str:
    if isinstance(name, str) and name.strip():
        return name
    raise ConfigError(f"name must be a text that names the records, not {name!r}")
