"""Tables of figures and the bars they are held to, printed as Markdown and kept as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

RESULTS = Path(__file__).parent / "results"

Cells = Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under *columns*; *name* is what the docs call it by."""

    name: str
    columns: Cells
    rows: Sequence[Cells]

    def markdown(self) -> str:
        """The first column reads from the left, figures from the right."""
        ruler = ["---", *["--:"] * (len(self.columns) - 1)]
        return "\n".join(f"| {' | '.join(row)} |" for row in (self.columns, ruler, *self.rows))


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure to reach, and whether it was."""

    claim: str
    measured: str
    met: bool

    @property
    def cells(self) -> Cells:
        return (self.claim, self.measured, "met" if self.met else "**missed**")


@dataclass(frozen=True, slots=True)
class Report:
    """What one benchmark found."""

    tables: Sequence[Table]
    bars: Sequence[Bar] = field(default=())

    @property
    def met(self) -> bool:
        return all(bar.met for bar in self.bars)

    def all_tables(self) -> Iterator[Table]:
        yield from self.tables
        if self.bars:
            yield Table("bars", ("bar", "measured", ""), [bar.cells for bar in self.bars])


def save(benchmark: str, report: Report) -> None:
    """Keep the tables of *report* for the docs."""
    tables = [asdict(table) for table in report.all_tables()]
    text = json.dumps(tables, indent=1, ensure_ascii=False)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{benchmark}.json").write_text(f"{text}\n", encoding="utf-8")


def saved() -> dict[str, Table]:
    """The tables kept, by ``benchmark.table``."""
    return {
        f"{path.stem}.{table['name']}": Table(**table)
        for path in sorted(RESULTS.glob("*.json"))
        for table in json.loads(path.read_text(encoding="utf-8"))
    }


def share(value: float, digits: int = 1) -> str:
    return f"{value * 100:.{digits}f} %"


def listed(counts: Counter[str]) -> str:
    """Names and how often each, the most frequent first; 0 for none."""
    return ", ".join(f"{name}: {times:,}" for name, times in counts.most_common()) or "0"
