"""What is told of columns: by the messages, by a registry, by DDL; and their types in Spark."""
