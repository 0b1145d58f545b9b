"""The snapshot checker: snapshots of every kind under random writers and faults.

A run fills the tables, creates a connector, requests snapshots, and lets random things happen while
they are read. Afterwards the replayed topics equal the tables, no version of a row is missing, and
no row of a chunk came after a newer event of the same row.

Run it with ``python -m tests.snapshots --runs 100 --seed 7 mariadb``.
"""
