"""Runs the checker: ``python -m tests.snapshots --runs 100 --seed 7 mariadb``."""

from __future__ import annotations

import argparse
import random
import sys
import time

from tests.snapshots.rig import SnapshotRig
from tests.snapshots.run import ALL, FAIL_OVER, KINDS, Run
from tools.stack import Workspace


def main() -> int:
    """Run the checker; the exit status is 1 when a difference was found."""
    options = _options()
    seed = random.randrange(1_000_000) if options.seed is None else options.seed
    begun = time.monotonic()
    faults = ALL if options.single else (*ALL, FAIL_OVER, FAIL_OVER)
    with Workspace() as workspace:
        rig = SnapshotRig(workspace, options.database, seed, replica=not options.single)
        try:
            rig.start()
            for number in range(options.runs):
                if time.monotonic() - begun > options.seconds:
                    break
                kind = random.Random(seed + number).choice(options.kinds)
                run = Run(rig, seed + number, kind, options.faults or faults)
                run.play()
                print(
                    f"{time.monotonic() - begun:5.0f} s  seed {seed + number} {kind}: "
                    f"{run.read_again} rows, {'; '.join(run.actions[1:])}",
                    flush=True,
                )
        except AssertionError as error:
            print(f"BROKEN: seed {seed + number} {kind}: {error}")
            return 1
        finally:
            rig.close()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.snapshots", description=__doc__)
    parser.add_argument("database", nargs="?", choices=("mysql", "mariadb"), default="mysql")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--single", action="store_true", help="no replica, no failover")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=KINDS)
    parser.add_argument("--faults", nargs="*", choices=(*ALL, FAIL_OVER))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
