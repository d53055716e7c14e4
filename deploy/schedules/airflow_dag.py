"""A nightly refresh as a DAG of Airflow 3: refreshed or skipped, then checked.

Lexbeam is installed on the workers, in an environment of its own; Airflow starts it as a program.

A hook that failed is run again by the next refresh, which ends with an error until the hook has succeeded. So the
retries of Airflow run it again, too, and none of them turns green, or is skipped, while readers have not been told.
"""

import pendulum
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import dag

LEXBEAM = "/opt/lexbeam/.venv/bin/lexbeam"
CONFIG = "/etc/lexbeam/config.yaml"
OUT = "/srv/lexbeam/results"
HOOK = "timeout 10m /etc/lexbeam/on-publish"  # a program of yours that tells readers of a snapshot


@dag(
    schedule="0 2 * * *",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    dagrun_timeout=pendulum.duration(hours=20),
)
def lexbeam_nightly():
    """Refresh, and look whether anything is stale after that."""
    refresh = BashOperator(
        task_id="refresh",
        bash_command=f"{LEXBEAM} refresh {CONFIG} --out {OUT} --keep used --on-publish '{HOOK}' --exit-code --log json",
        skip_on_exit_code=3,  # nothing had changed, and readers have been told
        retries=2,  # what was made before a failure is taken up
        retry_delay=pendulum.duration(minutes=15),
        execution_timeout=pendulum.duration(hours=12),
    )
    check = BashOperator(
        task_id="check", bash_command=f"{LEXBEAM} status {OUT} --json --exit-code", trigger_rule="none_failed"
    )
    refresh >> check


lexbeam_nightly()
