"""What is told of runs while they go: progress to people; events, lineage and a file of metrics to machines.

In: what the frame emits as a run goes, and what folders hold. Out: lines on standard error, or an output of a notebook;
records of logging, events of OpenLineage, a file for Prometheus.
Read in this order:

    estimates           counts and times in words, and the time that is left
    progress            how far stages are, by their folders
    terminal            progress drawn on a terminal or in a notebook
    events              typed events, through logging
    prometheus          metrics of a folder
    lineage             events of OpenLineage
"""
