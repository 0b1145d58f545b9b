"""The Spark job that turns topics into tables."""
