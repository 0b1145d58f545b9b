"""MySQL and MariaDB as a source of changes."""
