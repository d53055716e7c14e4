"""Another user of the machine, who knows where a run listens, gets nothing of it and does not disturb it.

What becomes of failures in threads; workers themselves are in tests/integration/runners.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest
from apache_beam.runners.worker.sdk_worker import GrpcStateHandler

from lexbeam.pipelines.runners.leash import Leash
from lexbeam.pipelines.runners.workers import PrivateRunner, thread_failures
from lexbeam.transforms.common.errors import UsageError

ROOT = Path(__file__).resolve().parents[3]
NOBODY = 65534
SECRET = "what_a_run_does_with_texts"

# A run of 100 elements in one worker process, by our runner or by Beam's own; it says what came of it.
DRIVER = f"""
import sys
import apache_beam as beam
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment
from lexbeam.pipelines.runners.configs import load_runner_config
from lexbeam.pipelines.runners.runners import run_pipeline
OURS, RESULT = sys.argv[1] == "ours", sys.argv[2]

def {SECRET}(numbers):
    with open(RESULT, "w") as stream:
        stream.write(str(sum(numbers)))

def build(pipeline):
    pipeline | beam.Create(range(100)) | beam.combiners.ToList() | beam.Map({SECRET})
    return True

if OURS:
    run_pipeline(build, load_runner_config("direct_multiprocess", ["--direct_num_workers=1"]))
else:
    worker = SubprocessSDKEnvironment.from_command_string(sys.executable + " -m lexbeam.pipelines.runners.local_worker")
    with beam.Pipeline(runner=FnApiRunner(worker)) as pipeline:
        build(pipeline)
"""

# Another user: at each address that he is told he calls as a worker, asks for what workers are told, and for a file. He
# says what he gets, and what hinders him; what he is given to do, he says has failed.
INTRUDER = f"""
import json, os, queue, sys, threading
import grpc
from apache_beam.portability import common_urns
from apache_beam.portability.api import beam_artifact_api_pb2 as artifacts, beam_artifact_api_pb2_grpc as retrieval
from apache_beam.portability.api import beam_fn_api_pb2 as messages, beam_fn_api_pb2_grpc as services
from apache_beam.portability.api import beam_runner_api_pb2 as portable
FILE = sys.argv[1]
os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
print(json.dumps(["ready", os.getuid()]), flush=True)

def say(what, value):
    print(json.dumps([what, value]), flush=True)

def call_as(worker, channel):
    answers = queue.SimpleQueue()
    try:
        calls = services.BeamFnControlStub(channel).Control(iter(answers.get, None), metadata=[("worker_id", worker)])
        for asked in calls:
            say("told to do", asked.WhichOneof("request"))
            answers.put(messages.InstructionResponse(instruction_id=asked.instruction_id, error="said by an intruder"))
    except grpc.RpcError as error:
        say("hindered", error.details())

def ask_for(number, channel):
    try:
        asked = messages.GetProcessBundleDescriptorRequest(process_bundle_descriptor_id=str(number))
        got = services.BeamFnControlStub(channel).GetProcessBundleDescriptor(asked)
        say("functions", {SECRET!r} in str(got))
    except grpc.RpcError as error:
        say("hindered", error.details())

def read(channel):
    payload = portable.ArtifactFilePayload(path=FILE).SerializeToString()
    file = portable.ArtifactInformation(type_urn=common_urns.artifact_types.FILE.urn, type_payload=payload)
    try:
        got = retrieval.ArtifactRetrievalServiceStub(channel).GetArtifact(artifacts.GetArtifactRequest(artifact=file))
        say("file", b"".join(each.data for each in got).decode())
    except grpc.RpcError as error:
        say("hindered", error.details())

def attack(address):
    channel = grpc.insecure_channel(address)
    for number in range(3):
        threading.Thread(target=call_as, args=(f"worker_{{number}}", channel), daemon=True).start()
    read(channel)
    while True:
        for number in range(3):
            ask_for(number, channel)
            threading.Event().wait(0.2)

for line in sys.stdin:
    threading.Thread(target=attack, args=(line.strip(),), daemon=True).start()
"""


def listening(pid, folder):
    """The addresses at which a process listens: its ports, and sockets in a folder."""
    held = set()
    with suppress(FileNotFoundError):  # it ends meanwhile
        for handle in Path(f"/proc/{pid}/fd").iterdir():
            held.add(os.readlink(handle))
    for name in ("tcp", "tcp6"):
        for row in map(str.split, Path(f"/proc/self/net/{name}").read_text().splitlines()[1:]):
            if row[3] == "0A" and f"socket:[{row[9]}]" in held:
                yield f"localhost:{int(row[1].rpartition(':')[2], 16)}"
    for row in map(str.split, Path("/proc/self/net/unix").read_text().splitlines()[1:]):
        if row[-1].startswith(folder):
            yield f"unix:{row[-1]}"


@pytest.fixture
def attacked(tmp_path):
    """A function: run a pipeline under attack; return its exit status, addresses, and what the intruder says."""
    # Not below pytest's folder, into which nobody else may look, either.
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        (tmp_path / "driver.py").write_text(DRIVER)
        (tmp_path / "intruder.py").write_text(INTRUDER)
        secret = tmp_path / "secret"
        secret.write_text("a key")
        secret.chmod(0o600)
        python = {"env": {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": place}, "text": True}

        def run(kind):
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            intruder = subprocess.Popen([sys.executable, tmp_path / "intruder.py", secret], **pipes, **python)
            assert json.loads(intruder.stdout.readline()) == ["ready", NOBODY]
            words = [sys.executable, tmp_path / "driver.py", kind, tmp_path / "result"]
            driver = subprocess.Popen(words, stderr=subprocess.DEVNULL, **python)
            told = []
            for _ in range(1200):
                if driver.poll() is not None:
                    break
                for address in listening(driver.pid, place):
                    if address not in told:
                        told.append(address)
                        intruder.stdin.write(f"{address}\n")
                        intruder.stdin.flush()
                time.sleep(0.05)
            driver.kill()
            intruder.kill()
            said = [json.loads(line) for line in intruder.communicate()[0].splitlines()]
            return driver.wait(), told, said

        yield run


needs_root = pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="becomes another user, by /proc")


@needs_root
@pytest.mark.slow
def test_another_user_gets_nothing_of_a_run_in_processes(attacked, tmp_path):
    status, addresses, said = attacked("ours")
    assert status == 0
    assert (tmp_path / "result").read_text() == "4950"
    assert len(addresses) == 1, addresses
    assert addresses[0].startswith("unix:")
    assert {what for what, _ in said} == {"hindered"}
    assert any("Permission denied" in why for _, why in said), said


@needs_root
@pytest.mark.soak
def test_of_beams_own_he_gets_functions_and_files_and_ends_it(attacked, tmp_path):
    """So that the test above shows something: the same intruder, and Beam's runner as it comes."""
    status, addresses, said = attacked("beam")
    assert status != 0
    assert not (tmp_path / "result").exists()
    assert all(address.startswith("localhost:") for address in addresses)
    assert ["file", "a key"] in said
    assert ["functions", True] in said
    assert ["told to do", "process_bundle"] in said


def test_a_folder_in_which_no_socket_can_lie_is_told(tmp_path):
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    with pytest.raises(UsageError, match=r"name a folder of a short path, on a disk of this machine, by .* TMPDIR"):
        PrivateRunner(["true"], str(folder), print).serve(grpc.server(None))


def read_from_a_server(ended):
    """Let Beam's own thread read from a server until it has ended."""

    def responses(requests):
        ended.wait()
        raise ConnectionError("recvmsg: connection reset by peer")
        yield

    GrpcStateHandler(SimpleNamespace(State=responses))


@pytest.fixture
def told(monkeypatch):
    """The failures of threads that Python would print."""
    result = []
    monkeypatch.setattr(threading, "excepthook", lambda given: result.append(str(given.exc_value)))
    return result


def test_threads_that_find_out_late_that_a_server_has_ended_print_nothing(told):
    ended = threading.Event()
    with thread_failures(Leash()):
        read_from_a_server(ended)
        threading.Timer(0.3, ended.set).start()
    assert ended.is_set()
    assert told == []


def test_threads_that_are_not_of_beam_fail_as_ever(told):
    before = threading.excepthook
    with thread_failures(Leash()):
        thread = threading.Thread(target=lambda: int("many"))
        thread.start()
        thread.join()
    assert told == ["invalid literal for int() with base 10: 'many'"]
    assert threading.excepthook is before


def test_threads_that_go_on_are_not_waited_for_long(told):
    ended = threading.Event()
    known = set(threading.enumerate())
    with thread_failures(Leash()):
        read_from_a_server(ended)
    # Here it has not ended, and nothing but the test will end it.
    (reader,) = set(threading.enumerate()) - known
    ended.set()
    reader.join()
    assert told == ["recvmsg: connection reset by peer"]
