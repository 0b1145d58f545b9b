"""Runs a fault campaign: ``python -m tests.campaign --faults 1000 --seed 7 mariadb``."""

from __future__ import annotations

import argparse
import logging
import random
import sys
import time

from tests.fixtures.campaign.faults import CATALOG
from tests.fixtures.campaign.rig import Rig
from tests.fixtures.campaign.rounds import Campaign
from tools.stack import Workspace


def main() -> int:
    """Run a campaign; the exit status is 1 when a promise was broken."""
    options = _options()
    seed = random.randrange(1_000_000) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    begun = time.monotonic()

    def report(text: str) -> None:
        print(f"{time.monotonic() - begun:6.0f} s  {text}", flush=True)

    with Workspace() as workspace:
        rig = Rig(workspace, options.database, seed, replica=not options.single, huge=True)
        kinds = [CATALOG[name] for name in options.only if name not in options.without]
        campaign = Campaign(rig, report, kinds, rounds_of_a_connector=1 if options.snapshots else 5)
        try:
            rig.start()
            campaign.run(options.faults)
        except AssertionError as error:
            report(f"BROKEN: {error}")
            if options.keep:
                input("The servers still run. Enter ends them.")
            return 1
        finally:
            rig.close()
    report(f"no promise was broken: {campaign.measured}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument("database", nargs="?", choices=("mysql", "mariadb"), default="mysql")
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--single", action="store_true", help="no replica, no failover")
    parser.add_argument("--without", nargs="*", default=[], choices=sorted(CATALOG))
    parser.add_argument("--only", nargs="*", default=list(CATALOG), choices=sorted(CATALOG))
    parser.add_argument("--snapshots", action="store_true", help="a new connector every round")
    parser.add_argument("--keep", action="store_true", help="keep the servers after a failure")
    return parser.parse_args()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    sys.exit(main())
