"""Metrics and intervals, the same for all tasks; docs/evaluation.md says what each one is."""
