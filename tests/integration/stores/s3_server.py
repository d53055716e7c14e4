"""A real S3 server (versitygw, which `make runners` builds) on a folder, behind a proxy that counts and disturbs.

with s3_server(tmp_path, buckets=["b"]) as server:
    server.environment            # for Lexbeam
    server.counts                 # requests by (method, kind of object)
    server.failing = 20           # from now on every 20th request is answered by 503
    server.at = (n, function)     # calls it when n requests more have come
    server.stop(), server.start() # in the midst
"""

import http.client
import http.server
import os
import random
import re
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store import files, objects

PROGRAM = Path(__file__).resolve().parents[3] / "build" / "s3" / "versitygw"
KEY, SECRET = "key-of-the-tests", "secret-of-the-tests"
_DRAWN = random.SystemRandom()
_KINDS = (
    ("lease", r"/\.lock\.json$"),
    ("pointer", r"/current\.json$"),
    ("mark", r"/\.lexbeam$"),
    ("manifest", r"/_snapshots/[0-9a-f]{32}(/manifest\.json|\.log\.json)$"),
    ("published part", r"/_snapshots/.*\.parquet$"),
    ("receipt", r"/_artefacts/.*/[0-9a-f]{32}\.json$"),
    ("artefact", r"/_artefacts/.*/[0-9a-f]{32}[^/]*$"),
    ("work", r"/_artefacts/"),
)


class S3Server:
    """The server and its proxy."""

    def __init__(self, folder):
        self.folder = folder
        self.counts = Counter()
        self.failing = 0
        self.at = None
        self.refused = 0
        self._number = 0
        self._lock = threading.Lock()
        self._behind = free_port()
        self._process = None
        self._proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._proxy.daemon_threads = True
        threading.Thread(target=self._proxy.serve_forever, daemon=True).start()

    @property
    def environment(self):
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._proxy.server_address[1]}",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }

    def start(self):
        keys = {"ROOT_ACCESS_KEY": KEY, "ROOT_SECRET_KEY": SECRET}
        self._process = subprocess.Popen(
            [PROGRAM, "--port", f"127.0.0.1:{self._behind}", "posix", self.folder],
            env={**os.environ, **keys},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while self._process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self._behind)) == 0:
                    return
            time.sleep(0.02)
        raise RuntimeError(f"{PROGRAM} ended with {self._process.returncode}")

    def stop(self):
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def close(self):
        self.stop()
        self._proxy.shutdown()
        self._proxy.server_close()

    def is_refused(self, method, path):
        """Count a request; return whether it is one that the proxy refuses."""
        path, _, query = path.partition("?")
        other = "listing" if "list-type=2" in query else "input or removal"
        kind = next((kind for kind, pattern in _KINDS if re.search(pattern, path)), other)
        with self._lock:
            if self.at is not None:
                left, function = self.at
                self.at = (left - 1, function) if left > 1 else function()
            self.counts[method, kind] += 1
            self._number += 1
            refused = bool(self.failing) and self._number % self.failing == 0
            self.refused += refused
            return refused

    def send(self, method, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self._behind, timeout=60)
        connection.request(method, path, body, headers)
        return connection, connection.getresponse()


def free_port():
    """Return a port that nobody listens at, and that the system gives to no socket which asks for any port."""
    while True:
        port = _DRAWN.randrange(20000, 32768)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _handler(server):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def _pass(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if server.is_refused(self.command, self.path):
                self._answer(503, {}, b"<Error><Code>SlowDown</Code></Error>")
                return
            try:
                connection, answer = server.send(self.command, self.path, body or None, dict(self.headers))
                content = answer.read()
            except (OSError, http.client.HTTPException):
                self.close_connection = True  # the server behind is not there
                return
            connection.close()
            self._answer(answer.status, dict(answer.getheaders()), content)

        def _answer(self, status, headers, content):
            self.send_response_only(status)
            for name, value in headers.items():
                if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                    self.send_header(name, value)
            length = headers.get("Content-Length", len(content)) if self.command == "HEAD" else len(content)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = _pass

    return Handler


def published_bytes(out):
    """Return the bytes of every part of what is published somewhere, by table."""
    snapshot = open_snapshot(str(out))
    return {table: [files.read_bytes(path) for path in snapshot.paths(table)] for table in snapshot.tables}


@contextmanager
def led_to(server):
    """Let the environment lead to a server while the block runs; without one the test is skipped."""
    if server is None:
        pytest.skip("no server of S3; `make runners` builds one")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        objects._opened.cache_clear()
        yield server
    objects._opened.cache_clear()


@contextmanager
def s3_server(folder, buckets):
    """Run a server on a folder with these buckets, and end it."""
    for bucket in buckets:
        (Path(folder) / bucket).mkdir(parents=True)
    server = S3Server(folder)
    server.start()
    try:
        yield server
    finally:
        server.close()
