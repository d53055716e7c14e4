import pytest

from pipelines.runners.causes import root_cause

OURS = """org.apache.flink.runtime.JobException: Recovery is suppressed by FixedDelayRestartBackoffTimeStrategy
\tat org.apache.flink.runtime.executiongraph.failover.ExecutionFailureHandler.handleFailure(Handler.java)
Caused by: java.lang.Exception: The user defined 'open()' method caused an exception.
Caused by: java.lang.RuntimeException: Error received from SDK harness for 7: Traceback (most recent call last):
  File "apache_beam/runners/common.py", line 1498, in process
transforms.common.errors.LexbeamError: the corpus is empty:
name a file

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "sdk_worker.py", line 310, in _execute
transforms.common.errors.LexbeamError: the corpus is empty:
name a file [while running 'ListFiles/ParDo(MakeArtefact)-ptransform-4']

\tat org.apache.beam.runners.fnexecution.control.FnApiControlClient.lambda$handle$1(FnApiControlClient.java:180)
"""


@pytest.mark.parametrize(
    ("trace", "cause"),
    [
        (OURS, "the corpus is empty: name a file"),
        (
            OURS.replace("transforms.common.errors.LexbeamError", "ValueError").replace(":\nname", ", name"),
            "ValueError: the corpus is empty, name a file",
        ),
        (
            "org.apache.flink.runtime.JobException: Recovery is suppressed\n\tat a.B.c(B.java:1)\n"
            "Caused by: org.apache.flink.util.FlinkException: Lost worker a$b.\n\tat a.B.d(B.java:2)\n",
            "org.apache.flink.util.FlinkException: Lost worker a$b.",
        ),
        ("no trace at all\nsecond line", "no trace at all"),
        ("", ""),
    ],
)
def test_the_root_cause_is_told_in_a_line(trace, cause):
    assert root_cause(trace) == cause
