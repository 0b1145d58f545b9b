"""The fault campaign: random writers, random faults, and checks that nothing is lost.

Every row has an ``origin`` that never changes and a ``version`` that each change raises by one.
Whatever happens to the worker, the servers and the network between them, the replayed topics
must equal the tables, and no version of any row may be missing.

Run it with ``make campaign FAULTS=1000 SEED=7 DATABASE=mariadb``.
"""
