"""The pictures of a cluster's day: lines, gaps, the cap, names, tables; what is foreign, endless or not measured."""

import itertools
import json
import re

import pytest
from fastapi.testclient import TestClient

from kafka_fleet.page.app import make_app
from kafka_fleet.page.axes import Frame, round_axis_end, span
from kafka_fleet.page.day_plots import LINES, pieces
from support.browser.hostile_names import HOSTILE
from support.builders.day_samples import SWEEPS, plots_document
from support.builders.documents import day_plots, gaps_said
from support.builders.letter_rows import DS
from support.builders.published_days import dossier, publish_day


def shown(document):
    return {one.name: one for one in day_plots(document)}


def page(tmp_path, document):
    publish_day(tmp_path, DS, {"a": (dossier("a", DS), [])}, letters=False)
    (path,) = tmp_path.glob(f"findings/ds={DS}/*/plots/a.json")
    if document is None:
        path.unlink()
    else:
        path.write_text(json.dumps(document))
    answer = TestClient(make_app(lambda: tmp_path, [])).get("/clusters/a")
    assert answer.status_code == 200
    return answer.text


def test_a_line_is_broken_where_no_sweep_was():
    runs = pieces([[0, 0, 1], [600, 600, 2], [9000, 9000, 3], [9600, 9600, 4]], 1500)
    assert [len(run) for run in runs] == [2, 2]
    assert [len(run) for run in pieces([[0, 600, 1], [601, 1200, 9], [1500, 1510, 2]], 1500)] == [2, 1], "a restart"
    assert pieces([[0, 600, 1], [600, 9000, 2], [9000, 9600, 3]], 1500) == [[[0, 600, 1]], [[9000, 9600, 3]]]
    rates, fetches = (shown(plots_document("a", DS))[name].pictures[0] for name in ("record_rates", "fetch_times"))
    assert all(len(line.paths) == 2 for line in (*rates.lines, *fetches.lines))
    ((left, right),) = rates.gaps
    assert (left, right) == (rates.frame.x(SWEEPS[59]), rates.frame.x(SWEEPS[60]))
    for line in rates.lines:
        places = [float(x) for path in line.paths for x in re.findall(r"[ML]([\d.]+) ", path)]
        assert not [x for x in places if left < x < right]
    assert gaps_said(plots_document("a", DS)) == "No sweep from 09:55 to 13:05 (UTC)"


def test_the_cap_the_peak_and_what_is_left_out_are_said():
    fetches = shown(plots_document("a", DS))["fetch_times"]
    (picture,) = fetches.pictures
    assert picture.limit == picture.frame.y(500)
    assert picture.limit_label == "fetch.max.wait.ms 500\u00a0ms"
    assert picture.said == "Highest 511\u00a0ms at 00:05 UTC (p99 in all); fetch.max.wait.ms 500\u00a0ms"
    assert fetches.rest == "2 more, with lower values, are not drawn."
    assert fetches.missing == ("fetch times were not read on broker 3",)
    rates = shown(plots_document("a", DS))["record_rates"].pictures[0]
    assert rates.rest == "3,992 more, with lower values, are not drawn."
    assert rates.frame.top_value >= max(
        point[2] for point in plots_document("a", DS)["plots"][0]["panels"][0]["series"][0]["points"]
    )


def test_names_at_the_ends_of_lines_do_not_cover_each_other():
    for one in shown(plots_document("a", DS)).values():
        for picture in one.pictures:
            heights = sorted(line.label_y for line in picture.lines)
            assert all(b - a >= 12.9 for a, b in itertools.pairwise(heights))
            assert picture.frame.top <= heights[0]
            assert heights[-1] <= picture.frame.bottom + 1


def test_the_table_has_the_highest_of_each_span_and_a_dash_for_nothing():
    document = plots_document("a", DS)
    del document["plots"][2]["panels"][0]["series"][1]["points"][:100]
    (held,) = shown(document)["connections"].pictures
    assert len(held.table) <= LINES
    assert held.every == "30 minutes"
    assert held.table[0] == ("00:00", ("320", "–"))  # noqa: RUF001
    assert held.table[-1] == ("23:30", ("320", "340"))
    assert not [clock for clock, _cells in held.table if "10:30" <= clock < "13:00"]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [([], (0, 86_400)), ([0, 43_200], (0, 86_400)), ([40_000, 40_060], (39_995, 40_065)), ([-50, 90_000], (0, 86_400))],
)
def test_a_short_measurement_fills_the_picture(seconds, shown):
    assert span(seconds) == shown
    labels = [label for _x, label in Frame(*shown, 10).x_ticks]
    assert 3 <= len(labels) <= 8
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize(("value", "top"), [(0.3, 0.3), (1, 1), (510, 600), (1.01, 2), (0, 1), (7e-9, 8e-9)])
def test_the_axis_ends_on_a_round_number(value, top):
    assert round_axis_end(value) == pytest.approx(top)


def test_the_page_draws_it_with_words_and_without_script(tmp_path):
    said = page(tmp_path, plots_document("a", DS))
    pictures = re.findall(r'<svg class="wide".*?</svg>', said, re.S)
    assert len(pictures) == 4
    for svg in pictures:
        title, about = re.search(r'aria-labelledby="(\S+)" aria-describedby="(\S+)"', svg).groups()
        assert f'<title id="{title}">' in svg
        assert f'<desc id="{about}">Highest' in svg
        assert svg.count("no sweep") == 1
    assert len(set(re.findall(r' id="([^"]+)"', said))) == len(re.findall(r' id="([^"]+)"', said))
    assert said.count('<table class="figures">') == 4
    assert "No sweep from 09:55 to 13:05 (UTC)." in said
    assert "Fetch times were not read on broker 3." in said
    assert len(said) < 150_000


def test_names_of_a_cluster_are_text_and_short(tmp_path):
    document = plots_document("a", DS, topic=HOSTILE, partition=HOSTILE)
    document["plots"][0]["missing"] = [HOSTILE]
    said = page(tmp_path, document)
    assert "<script" not in said
    assert "onload='" not in said
    assert '"onload' not in said
    assert "\u202e" not in said
    assert "x" * 200 not in said


@pytest.mark.fault(50)
def test_a_day_of_an_older_version_and_one_without_points_say_so(tmp_path):
    assert "judged before its figures were kept" in page(tmp_path, None)
    document = plots_document("a", DS)
    for plot in document["plots"]:
        plot |= {"panels": [], "panel_count": 0, "missing": ["nothing was read."]}
    document["sweeps"] = {"count": 0, "first": None, "last": None, "usual": None, "gaps": [], "gap_count": 0}
    said = page(tmp_path / "other", document)
    assert '<svg class="wide"' not in said
    assert said.count("<li>Nothing was read.</li>") == 4


def test_one_sweep_is_a_dot_and_no_line():
    document = plots_document("a", DS)
    for plot in document["plots"]:
        for panel in plot["panels"]:
            for series in panel["series"]:
                del series["points"][1:]
    document["sweeps"] |= {"count": 1, "first": 300, "last": 300, "usual": None, "gaps": [], "gap_count": 0}
    drawn = shown(document)
    assert drawn["record_rates"].pictures == ()
    assert drawn["record_rates"].missing[0].startswith("No two sweeps were near enough")
    for line in drawn["fetch_times"].pictures[0].lines:
        assert (line.paths, len(line.dots)) == ((), 1)
