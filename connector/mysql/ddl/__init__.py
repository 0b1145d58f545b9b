"""DDL: text → tokens → statements → changed tables and the events of it."""
