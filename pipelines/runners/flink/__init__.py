"""A Flink cluster on this machine: one JobManager and TaskManagers, from the job server's jar.

In: the jar, a port, numbers of TaskManagers and slots. Out: processes on loopback, until `down`. Read `programs`,
`cluster`.
"""
