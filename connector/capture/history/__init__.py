"""The schema history: every statement that changed a table, with where it stood in the log."""

from connector.capture.history.record import HistoryRecord, parse_record
from connector.capture.history.recover import recover
from connector.capture.history.store import HistoryStore

__all__ = ["HistoryRecord", "HistoryStore", "parse_record", "recover"]
