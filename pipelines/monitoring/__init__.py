"""What machines are told of runs: events, lineage, and a file of metrics.

In: what the frame emits as a run goes, and what a folder holds. Out: records of logging, events of OpenLineage, a file
for Prometheus. Read `events`, `prometheus`, `lineage`.
"""
