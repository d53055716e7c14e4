"""Where a pipeline runs: runner configurations, workers, job servers, and what ends them with the run.

In: a pipeline and the name of a configuration. Out: a finished run. Read `configs`, `runners`, `workers`, `leash`.
"""
