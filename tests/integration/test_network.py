"""Whole commands under strace: nothing is asked, told or offered beyond this machine."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from small_runs import SLICES, SMALL, write_texts

ROOT = Path(__file__).parents[2]
PRISM = os.environ.get("LEXBEAM_PRISM", str(ROOT / "build" / "prism" / "prism"))
CALLS = "connect,bind,sendto,sendmsg,sendmmsg"
# Sockets within the system: a name service on this machine is asked through AF_INET, port 53.
LOCAL = {"AF_UNIX", "AF_NETLINK", "AF_UNSPEC"}
ADDRESS = re.compile(
    r"sa_family=(?P<family>AF_\w+)"
    r"(?:.*?htons\((?P<port>\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )\"(?P<host>[^\"]*)\")?"
)
LOOPBACK = re.compile(r"127\..*|::1|::ffff:127\..*")


def beyond(trace: str) -> Counter[str]:
    """Count the addresses in what strace wrote that are not of this machine, or a name service."""
    found: Counter[str] = Counter()
    for line in trace.splitlines():
        for address in ADDRESS.finditer(line):
            if address["family"] in LOCAL:
                continue
            host, port = address["host"] or "?", address["port"]
            if not LOOPBACK.fullmatch(host) or port == "53":
                found[f"{address['family']} {host} {port}"] += 1
    return found


def test_addresses_are_told_apart():
    v6 = 'sa_family=AF_INET6, sin6_port=htons({}), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "{}"'
    v4 = 'sa_family=AF_INET, sin_port=htons({}), sin_addr=inet_addr("{}")'
    for line, is_beyond in {
        v6.format(0, "::"): True,
        v6.format(443, "2001:db8::1"): True,
        v6.format(1, "::1"): False,
        v4.format(53, "127.0.0.53"): True,
        v4.format(80, "10.0.0.1"): True,
        v4.format(0, "0.0.0.0"): True,
        v4.format(9, "127.0.0.1"): False,
        'sa_family=AF_UNIX, sun_path="/run/x"': False,
        "sa_family=AF_PACKET": True,
    }.items():
        assert bool(beyond(f"1 connect(3, {{{line}}}, 28) = 0")) == is_beyond, line


# As the command does, without what other packages import wherever they find it.
RUN = """\
import json, sys
from lexbeam.transforms.common.spared_imports import spare_imports
spare_imports()
from lexbeam.pipelines.cli import main
sys.exit(any(main(words) for words in json.loads(sys.argv[1])))
"""


def traced(trace: Path, *commands: Sequence[str]) -> None:
    """Run commands under strace in one process, the next if the one before works, and write the trace."""
    done = subprocess.run(
        [
            "strace",
            "-f",
            "--seccomp-bpf",
            "-qq",
            "-e",
            f"trace={CALLS}",
            "-o",
            str(trace),
            sys.executable,
            "-c",
            RUN,
            json.dumps(commands),
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    if "PTRACE" in done.stderr or "Operation not permitted" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.soak
@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
@pytest.mark.skipif(not os.path.exists(PRISM), reason="needs make prism")
def test_prism_and_its_workers_talk_to_this_machine_alone(tmp_path):
    """Once the job server and the workers within the driver listened on every interface."""
    trace, texts = tmp_path / "trace", str(write_texts(tmp_path / "texts"))
    words = ["corpus", texts, "--out", str(tmp_path / "out"), "--engine", "builtin:en", "--runner-config", "prism"]
    traced(trace, words)
    assert not beyond(trace.read_text("utf-8", "replace"))


# What one process asks for is watched in each test (conftest.py): here what worker processes do.
@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
@pytest.mark.parametrize("steps", [1, pytest.param(3, marks=pytest.mark.soak)])
def test_a_whole_job_talks_to_this_machine_alone(steps, tmp_path):
    out, trace = str(tmp_path / "out"), tmp_path / "trace"
    texts = str(write_texts(tmp_path / "texts"))
    corpus = ["corpus", texts, "--out", out, "--engine", "builtin:en", "--dates", "name:(\\d+)"]
    runner = ["--runner-config", "direct_multiprocess", "--", "--direct_num_workers=1"]
    job = [[*corpus, *runner], ["change", "--out", out, *SLICES, *SMALL], ["report", out]]
    traced(trace, *job[:steps])
    calls = trace.read_text("utf-8", "replace")
    assert "::1" in calls or "127.0.0.1" in calls  # else nothing was watched
    assert not beyond(calls)
