from bench.sides import DEFAULT, MILLRACE, TUNED
from bench.table import Result, table


def result(side: str, part: str, **measurements: float) -> Result:
    return Result(side, part, measurements)


def test_one_side_has_no_ratio() -> None:
    text = table([result(MILLRACE.name, "stream sb", rows_per_second=12345, peak_rss_mb=99.6)])
    assert text.splitlines() == [
        "|  | Millrace |",
        "| --- | ---: |",
        "| stream sb: rows/s | 12,345 |",
        "| peak RSS of all: MB | 100 |",
    ]


def test_the_gain_is_over_tuned_and_more_than_one_when_millrace_is_better() -> None:
    text = table(
        [
            result(MILLRACE.name, "a", rows_per_second=800, cpu_us_per_row=2, peak_rss_mb=50),
            result(DEFAULT.name, "a", rows_per_second=1, cpu_us_per_row=99, peak_rss_mb=900),
            result(TUNED.name, "a", rows_per_second=200, cpu_us_per_row=9, peak_rss_mb=600),
        ]
    )
    assert text.splitlines()[2:] == [
        "| a: rows/s | 800 | 1 | 200 | 4.0 |",
        "| a: CPU, µs/row | 2.0 | 99.0 | 9.0 | 4.5 |",
        "| peak RSS of all: MB | 50 | 900 | 600 | 12.0 |",
    ]


def test_of_several_runs_the_median_is_shown_but_the_highest_peak() -> None:
    runs = [
        result(MILLRACE.name, part, rows_per_second=rate, peak_rss_mb=peak)
        for part, rate, peak in [("a", 10, 1), ("a", 30, 7), ("a", 20, 2), ("b", 5, 3)]
    ]
    assert table(runs).splitlines()[2:] == [
        "| a: rows/s | 20 |",
        "| b: rows/s | 5 |",
        "| peak RSS of all: MB | 7 |",
    ]


def test_the_share_of_the_limit_stands_for_millrace_alone() -> None:
    ours = result(MILLRACE.name, "a", rows_per_second=80, limit_percent=79.6, peak_rss_mb=1)
    theirs = result(TUNED.name, "a", rows_per_second=20, peak_rss_mb=2)
    assert table([ours, theirs]).splitlines()[2:] == [
        "| a: rows/s | 80 | 20 | 4.0 |",
        "| a: of the rate of a bare producer, % | 80 |",
        "| peak RSS of all: MB | 1 | 2 | 2.0 |",
    ]


def test_what_the_database_does_is_no_sides_gain() -> None:
    names = (MILLRACE.name, TUNED.name)
    sides = [result(name, "latency", insert_max_ms=9.5, peak_rss_mb=1) for name in names]
    assert table(sides).splitlines()[2:] == [
        "| latency at 300 rows/s, longest INSERT: ms | 9.5 | 9.5 |",
        "| peak RSS of all: MB | 1 | 1 | 1.0 |",
    ]
