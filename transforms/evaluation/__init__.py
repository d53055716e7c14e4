"""Metrics and intervals, the same for all tasks; docs/reference/evaluation.md describes each."""
