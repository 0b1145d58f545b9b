"""Schema evolution: target tables follow the columns of their source."""
