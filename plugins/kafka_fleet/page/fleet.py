"""The fleet on one screen: takes the summaries of a day and of those before it, gives rows, filters and pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from kafka_fleet.documents.summary import ClusterSummary
from kafka_fleet.domain import ENVIRONMENT_RANK, VERDICT_RANK
from kafka_fleet.report.formatting import VERDICTS, plural
from kafka_fleet.report.sanitize import clean

DAYS = 14  # of a trend
PAGE = 100  # clusters on one page
_CLIP = 120
STATES = {"quiet": ("·", "quiet"), "not_evaluated": ("–", "not evaluated"), "": ("", "not judged")}  # noqa: RUF001
_WORDS = {"environment", "owners", "problem"}
Summaries = Mapping[str, ClusterSummary]


@dataclass(frozen=True)
class Filter:
    """What is asked for; empty: all."""

    owner: str = ""
    environment: str = ""
    verdict: str = ""
    page: int = 1


@dataclass(frozen=True)
class Cell:
    """One signature of one cluster: key of the verdict or state, its sign and word, and the days up to this one."""

    key: str
    sign: str
    label: str
    trend: tuple[tuple[str, str], ...]
    said: str


@dataclass(frozen=True)
class FleetRow:
    """One cluster. `problem`: why nothing of it was measured, or empty."""

    cluster: str
    environment: str
    worst: str
    counts: Mapping[str, int]
    cells: tuple[Cell, ...]
    problem: str


@dataclass(frozen=True)
class FleetScreen:
    """Everything that the table of the fleet's page shows.

    names: all clusters that the filter keeps, on whatever page. summaries: of the days of the trend.
    """

    ds: str
    days: Sequence[str]
    headline: str
    signatures: Sequence[str]
    rows: Sequence[FleetRow]
    names: Sequence[str]
    summaries: Mapping[str, Summaries]
    asked: Filter
    owners: Sequence[str]
    environments: Sequence[str]
    shown: str
    pages: Sequence[tuple[int, str]]
    older: bool


def _words(key: str) -> tuple[str, str]:
    return (VERDICTS[key].sign, VERDICTS[key].label) if key in VERDICTS else STATES.get(key, STATES[""])


def cell(signature: str, ds: str, days: Sequence[str], of_day: Callable[[str], Mapping[str, str]]) -> Cell:
    """A signature with its trend, the oldest day first. of_day: cells of the cluster on a day."""
    trend = tuple((one, of_day(one).get(signature, "")) for one in days)
    key = of_day(ds).get(signature, "")
    sign, label = _words(key)
    bad = [one for one, state in trend if VERDICT_RANK.get(state, 0) >= VERDICT_RANK["exposed"]]
    said = f"{label}; shown on {len(bad)} of {plural(len(days), 'day')}"
    return Cell(key or "none", sign, label, tuple((one, state or "none") for one, state in trend), said)


def _worst(row: ClusterSummary) -> str:
    return max((v for v, count in row.counts.items() if count), key=VERDICT_RANK.__getitem__, default="not_affected")


def _kept(row: ClusterSummary, asked: Filter) -> bool:
    verdict = _worst(row) if row.judged else "not_measured"
    return (
        (not asked.owner or asked.owner in row.owners)
        and (not asked.environment or asked.environment == (row.environment or ""))
        and (not asked.verdict or asked.verdict == verdict)
    )


def build(ds: str, days: Sequence[str], summary_of: Callable[[str], Summaries | None], asked: Filter) -> FleetScreen:
    """The screen of a day. days: all judged ones, the latest first. summary_of: gives a day's rows, None without."""
    today = summary_of(ds)
    rows = {
        name: row.model_copy(update=clean(row.model_dump(include=_WORDS), _CLIP)) for name, row in (today or {}).items()
    }
    trend = sorted(one for one in days if one <= ds)[-DAYS:]
    summaries = {one: summary_of(one) or {} for one in trend}
    names = [name for name, row in rows.items() if _kept(row, asked)]
    names.sort(
        key=lambda name: (
            rows[name].judged,
            -VERDICT_RANK[_worst(rows[name])],
            ENVIRONMENT_RANK.get(rows[name].environment or "", 3),
            -rows[name].counts.get(_worst(rows[name]), 0),
            name,
        )
    )
    pages = max(1, -(-len(names) // PAGE))
    page = min(max(1, asked.page), pages)
    signatures = sorted({signature for row in rows.values() for signature in row.cells})
    sick, red = sum(1 for r in rows.values() if r.counts["confirmed"]), sum(not r.reached for r in rows.values())
    aside = sum(r.reached and not r.judged for r in rows.values())
    headline = f"{plural(len(rows), 'cluster')}: {plural(sick, 'has', 'have')} a confirmed bug"
    headline += f", {plural(red, 'was', 'were')} not measured" if red else ""
    headline += f", {plural(aside, 'was', 'were')} not judged" if aside else ""
    return FleetScreen(
        ds=ds,
        days=days,
        headline=headline,
        signatures=signatures,
        rows=[_row(name, rows[name], ds, trend, summaries, signatures) for name in names[(page - 1) * PAGE :][:PAGE]],
        names=names,
        summaries=summaries,
        asked=asked,
        owners=sorted({owner for row in rows.values() for owner in row.owners}),
        environments=sorted({row.environment for row in rows.values() if row.environment}),
        shown=f"{len(names):,} of {plural(len(rows), 'cluster')}",
        pages=[(number, _query(asked, ds, number)) for number in range(1, pages + 1)] if pages > 1 else [],
        older=today is None,
    )


def _query(asked: Filter, ds: str, page: int) -> str:
    wanted = {"day": ds, "owner": asked.owner, "environment": asked.environment, "verdict": asked.verdict}
    return urlencode({name: value for name, value in {**wanted, "page": str(page)}.items() if value})


def _row(
    name: str,
    row: ClusterSummary,
    ds: str,
    trend: Sequence[str],
    summaries: Mapping[str, Summaries],
    signatures: Sequence[str],
) -> FleetRow:
    def of_day(one: str) -> Mapping[str, str]:
        found = summaries[one].get(name)
        return found.cells if found else {}

    problem = row.problem or ("" if row.reached else "nothing was measured on this day")
    return FleetRow(
        cluster=name,
        environment=row.environment or "",
        worst=_worst(row),
        counts=row.counts,
        cells=tuple(cell(signature, ds, trend, of_day) for signature in signatures),
        problem=problem,
    )
