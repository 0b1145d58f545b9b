"""A short fault campaign; `make campaign` runs long ones."""

from __future__ import annotations

import random

import pytest

from tests.fixtures.campaign.faults import CATALOG
from tests.fixtures.campaign.rig import Rig
from tests.fixtures.campaign.rounds import Campaign
from tools.stack import Workspace

FAULTS = 26
KINDS = [fault for name, fault in CATALOG.items() if name != "switch-servers"]


@pytest.mark.parametrize("database", ["mysql", "mariadb"])
def test_nothing_is_lost_whatever_fails(workspace: Workspace, database: str) -> None:
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    rig = Rig(workspace, database, seed, replica=False, huge=False)
    try:
        rig.start()
        campaign = Campaign(rig, print, KINDS)
        campaign.run(FAULTS, faults_of_a_round=13)
    finally:
        rig.close()
