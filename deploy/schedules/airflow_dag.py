"""A nightly refresh as a DAG of Airflow 2 or 3: refreshed or skipped, then checked.

Lexbeam is installed on the workers, in an environment of its own; Airflow starts it as a program.
"""

import pendulum
from airflow.decorators import dag
from airflow.providers.standard.operators.bash import BashOperator

LEXBEAM = "/opt/lexbeam/.venv/bin/lexbeam"
CONFIG = "/etc/lexbeam/config.yaml"
OUT = "/srv/lexbeam/results"


@dag(schedule="0 2 * * *", start_date=pendulum.datetime(2026, 1, 1, tz="UTC"), catchup=False, max_active_runs=1)
def lexbeam_nightly():
    """Refresh, and look whether anything is stale after that."""
    refresh = BashOperator(
        task_id="refresh",
        bash_command=f"{LEXBEAM} refresh {CONFIG} --out {OUT} --exit-code --log json",
        skip_on_exit_code=3,  # nothing had changed
        retries=2,  # what was made before a failure is taken up
        retry_delay=pendulum.duration(minutes=15),
    )
    check = BashOperator(
        task_id="check", bash_command=f"{LEXBEAM} status {OUT} --json --exit-code", trigger_rule="none_failed"
    )
    refresh >> check


lexbeam_nightly()
