"""The command of the fault campaign: ``make campaign FAULTS=1000 SEED=7 DATABASE=mariadb``."""
