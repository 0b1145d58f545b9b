"""Many random runs of an incremental snapshot that writes its watermarks."""

from __future__ import annotations

import pytest

from tests.unit.capture.incremental.random_run import Run

RUNS = 300


@pytest.mark.parametrize("part", range(10))
def test_the_topic_equals_the_table(part: int) -> None:
    for seed in range(part * RUNS // 10, (part + 1) * RUNS // 10):
        print(f"seed {seed}")
        Run(seed).play()
