"""The Connect data model: schemas, records, and how Java writes numbers."""
