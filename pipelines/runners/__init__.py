"""Where a pipeline runs: runner configurations, workers, job servers, and what ends them with the run.

In: a pipeline and the name of a configuration. Out: a finished run.
Read in this order:

    configs                     runner configurations, and the cores that a process may use
    runners                     a pipeline run to its end, and servers for it
    workers, local_worker       workers of the direct runner, without ports; one of them
    worker                      a worker for other runners
    leash, guard                programs tied to a run; the one that ends them
    flink_cluster, flink_jobs   a cluster on this machine; what a cluster says of a job
    bundles, signatures         what the direct runner does again and again, spared
    hooks                       a command of somebody else's after each publication
"""
