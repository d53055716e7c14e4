"""What is told of runs while they go: progress to people; events, lineage and a file of metrics to machines.

In: what the frame emits as a run goes, and what folders hold. Out: lines on standard error, or an output of a notebook;
records of logging, events of OpenLineage, a file for Prometheus. Read `estimates`, `progress`, `terminal`, then
`events`, `prometheus`, `lineage`.
"""
