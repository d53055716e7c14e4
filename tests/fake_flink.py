"""A small server that answers as Flink's REST interface does."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from lexbeam.pipelines.frame.publishing import read_unfinished

JOB = "0123456789abcdef0123456789abcdef"


def noted_jobs(out: Path | str) -> list[dict[str, str]]:
    """Return the jobs that the record in a folder names."""
    record = read_unfinished(str(out)).get("detached")
    return record["jobs"] if record else []


@dataclass
class FakeFlink:
    """What the server answers.

    Attributes:
        address: of the server.
        out: the folder of which it knows the last job.
        state: of that job; empty: it does not know it.
        trace: what it says of a job that has failed.
        raw: what it answers whatever it is asked, if not None.
    """

    address: str
    out: Path | str
    state: str = "RUNNING"
    trace: str = ""
    raw: bytes | None = None

    def answer(self, path: str) -> bytes | None:
        if self.raw is not None:
            return self.raw
        if path == "/jobs/overview":
            names = ["lexbeam-" + job["results"] for job in noted_jobs(self.out)[-1:]] if self.state else []
            other = {"jid": "f" * 32, "name": "another", "state": "RUNNING", "start-time": 2}
            jobs = [{"jid": JOB, "name": name, "state": self.state, "start-time": 1} for name in names]
            return json.dumps({"jobs": [other, *jobs]}).encode()
        if path == f"/jobs/{JOB}/exceptions":
            return json.dumps({"root-exception": self.trace, "exceptionHistory": {"entries": []}}).encode()
        return None


@contextmanager
def fake_flink(out: Path | str) -> Iterator[FakeFlink]:
    """Serve on a free port of this machine while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = flink.answer(self.path)
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write(body or b"{}")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("localhost", 0), Handler) as server:
        flink = FakeFlink(f"http://localhost:{server.server_port}", out)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield flink
        finally:
            server.shutdown()
