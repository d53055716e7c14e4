"""Fixtures that every area of the tests uses."""

import fcntl
import gc
import os
import pickle
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from lexbeam.transforms.common.code.version import VARIABLE, commit

# What tests share, such as `outsiders.py` and the makers of a domain, is imported by its name alone.
_TESTS = Path(__file__).parent
sys.path[:0] = sorted(
    {
        str(path.parent)
        for path in _TESTS.rglob("*.py")
        if not path.name.startswith("test_") and path.name != "conftest.py"
    }
    | {str(_TESTS)}
)

# The same examples in every run: a failure is of the code, and anybody can see it.
# HYPOTHESIS_PROFILE=default looks further, `quick` (`make test-fast`) less far.
settings.register_profile("lexbeam", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("quick", settings.get_profile("lexbeam"), max_examples=20)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "lexbeam"))

ROOT = Path(__file__).resolve().parent.parent

# A job of a shell's background ignores Ctrl-C, and so would all that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests start dozens of processes that import Beam and spaCy: they may keep what Python compiles,
# and pytest may keep what it makes of the tests, which takes it longer than all imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# As the command sets it: a process that a test starts while gRPC is at work here may be aborted before it begins.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
sys.dont_write_bytecode = False

# Whoever commits while tests run would have two runs of one test say that different Lexbeams made what they compare.
os.environ.setdefault(VARIABLE, commit())

# What a test makes need not outlast a loss of power, for which a disk takes 6 ms a file: sixty of them in a small run.
os.fsync = lambda handle: None

# Tests that one worker runs, one after another: they start many processes, or share what is costly
# and cannot be made once for all workers. What takes longest is first. Of other tests those of a
# file are dealt out together: they share what its fixtures make, and the controller takes longer to
# deal than most of them to run.
TOGETHER = (
    "tests/integration/runners/",
    "tests/integration/test_resume.py",
    "tests/integration/test_damage.py",
    "tests/annotation/",
    "tests/integration/test_golden.py",
    "tests/lexicon/encoders/",
    "tests/sample/test_corpus.py",
)
_BEGUN = pytest.StashKey[float]()
_STATUS = pytest.StashKey[int]()


def _stays_with(nodeid: str) -> str:
    """Return the path of TOGETHER that a test is of, or else its file."""
    return next((path for path in TOGETHER if nodeid.startswith(path)), nodeid.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return how many workers there are: one more than cores, since some tests wait for other processes."""
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)  # macOS
    return len(usable) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Deal out what stays together at once, in the order of the collection."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _stays_with(nodeid)

    config.option.loadscopereorder = False
    return Scheduling(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let workers begin with what takes long, so that none is left with it in the end."""

    def turn(item: pytest.Item) -> int:
        if (path := _stays_with(item.nodeid)) in TOGETHER:
            return TOGETHER.index(path)
        return len(TOGETHER) + (item.get_closest_marker("slow") is None)

    if hasattr(config, "workerinput"):
        items.sort(key=turn)


def pytest_collection_finish() -> None:
    """Look for cycles of unused objects as rarely as the command does, and not among tests and modules that stay."""
    gc.set_threshold(10_000)
    gc.freeze()


def _processor_seconds() -> float:
    """Return the seconds of processors that this process and those that it has waited for took."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Note when a test begins, fixtures among it."""
    item.stash[_BEGUN] = _processor_seconds()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Report what a test took with its end."""
    if call.when == "teardown":
        item.user_properties.append(("processor seconds", _processor_seconds() - item.stash[_BEGUN]))
    return (yield)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what each folder of tests took, the dearest first."""
    folders: dict[str, float] = {}
    for report in (report for reports in terminalreporter.stats.values() for report in reports):
        if getattr(report, "when", "") == "teardown":
            folder = "/".join(report.nodeid.partition("::")[0].split("/")[:3][:-1])
            folders[folder] = folders.get(folder, 0.0) + dict(report.user_properties).get("processor seconds", 0.0)
    if len(folders) > 1:
        terminalreporter.section("seconds of processors by folder")
        for folder, seconds in sorted(folders.items(), key=lambda item: -item[1]):
            terminalreporter.write_line(f"{seconds:8.1f}  {folder}")
        terminalreporter.write_line(f"{sum(folders.values()):8.1f}  in all")


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave at once, as the command does: the teardown of native threads can abort a process."""
    if (status := config.stash.get(_STATUS, None)) is not None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keep the status for the end."""
    session.config.stash[_STATUS] = int(exitstatus)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """A function that makes a costly thing once for all workers: `made_once(name, make)`.

    `make(folder)` gets an empty folder, and what it returns is pickled for the others. The worker
    that asks first makes it while the rest wait; if it fails, it fails for them too; if the worker
    dies, the next one makes it anew.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def once(name: str, make: Callable[[Path], Any]) -> Any:
        result, failure = (shared / f"{name}.{kind}" for kind in ("made", "failed"))
        with open(shared / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                if result.exists():
                    return pickle.loads(result.read_bytes())
                if failure.exists():
                    pytest.fail(f"{name} could not be made:\n{failure.read_text('utf-8')}")
                return _make(name, make, shared, result, failure)
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)  # whatever a child process still holds open

    return once


def _make(name: str, make: Callable[[Path], Any], shared: Path, result: Path, failure: Path) -> Any:
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=shared))
    try:
        made = make(folder)
    except Exception:
        failure.write_text(traceback.format_exc(), "utf-8")
        raise
    finished = result.with_suffix(".tmp")
    finished.write_bytes(pickle.dumps(made))
    finished.rename(result)
    return made


@pytest.fixture(scope="session")
def wordnet_cache(made_once: Callable[..., Any]) -> str:
    """A cache of resources that has Debian's WordNet, which takes seconds to compile, where it is installed."""

    def make(folder: Path) -> str:
        from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
        from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN

        if Path(DEBIAN, "index.sense").exists():
            prepare(LexiconOptions(resources=(f"wordnet_=wordnet:{DEBIAN}",), cache=str(folder)))
        return str(folder)

    return made_once("wordnet-cache", make)


@pytest.fixture(scope="session")
def wordfreq_cache(made_once: Callable[..., Any], wordnet_cache: str) -> str:
    """The same with word frequencies of English, German and Spanish, which take seconds to compile, too."""

    def make(folder: Path) -> str:
        from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare

        lists = tuple(f"zipf_=wordfreq:{tag}" for tag in ("de", "en", "es"))
        if find_spec("wordfreq"):
            prepare(LexiconOptions(resources=lists, cache=wordnet_cache))
        return wordnet_cache

    return made_once("wordfreq-cache", make)


_SPANISH = {"more": 90, "pairs": True, "steps": 250}


@pytest.fixture(scope="session")
def spanish_bert(made_once: Callable[..., Any]) -> str:
    """The folder of a small Spanish masked language model with WordPiece, cased."""
    from small_encoders import spanish, trained

    pytest.importorskip("torch")
    return made_once("spanish-bert", lambda at: trained(at, "bert", spanish(300), cased=True, **_SPANISH))


@pytest.fixture(scope="session")
def spanish_roberta(made_once: Callable[..., Any]) -> str:
    """The folder of one with BPE of bytes."""
    from small_encoders import spanish, trained

    pytest.importorskip("torch")
    return made_once("spanish-roberta", lambda at: trained(at, "roberta", spanish(300, 1), seed=1, **_SPANISH))


@pytest.fixture(scope="module", autouse=True)
def _beam_as_in_a_run(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let Beam look up once what a run lets it look up once, in pipelines of tests as well: a fifth of their time."""
    alone = request.path.match("runners/test_signatures.py") or request.path.match("runners/test_bundles.py")
    if "apache_beam" not in sys.modules or alone:
        yield
        return
    from lexbeam.pipelines.runners.bundles import small_bundles
    from lexbeam.pipelines.runners.signatures import signatures_kept

    with signatures_kept(), small_bundles():
        yield


@pytest.fixture
def outsider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """A function that installs a package for this process: `outsiders.install` without a folder."""
    from outsiders import install

    from lexbeam.transforms.common.code import registry

    taken: list[str] = []

    def installed(group: str, *lines: str, **modules: str) -> None:
        folder = tmp_path / "outside packages"
        folder.mkdir()
        install(folder, group, *lines, **modules)
        taken.extend(modules)
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.setattr(registry, "_OUTSIDE", {})

    yield installed
    for name in taken:
        sys.modules.pop(name, None)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora; tests that need it are skipped where it is not."""
    folder = Path(os.environ.get("LEXBEAM_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"needs real corpora: no folder {folder} (set LEXBEAM_DATA)")
    return folder


@pytest.fixture(scope="session")
def models(data: Path) -> Path:
    """The folder of trained spaCy pipelines that lies beside the real corpora."""
    folder = data.parent / "models"
    if not folder.is_dir():
        pytest.skip(f"needs trained spaCy pipelines: no folder {folder}")
    return folder


# What a library asks of a name service or another machine is often swallowed where it fails: a
# runner of Beam's would download another from GitHub, and nobody would see.
_BEYOND: list[str] = []
_LOOPBACK = ("localhost", "127.", "::1", "0.0.0.0", "::")


def _noting(function: Callable[..., Any], place: int) -> Callable[..., Any]:
    """Return a function of sockets that notes the host at that place of its arguments, unless it is this machine."""

    def noting(*arguments: Any, **named: Any) -> Any:
        where = arguments[place] if len(arguments) > place else next(iter(named.values()))
        host = where[0] if isinstance(where, tuple) else where
        # What connects to no host connects to a socket of the system's own.
        if (isinstance(where, tuple) or place == 0) and host and not str(host).startswith(_LOOPBACK):
            _BEYOND.append(f"{function.__name__} {where!r}")
        return function(*arguments, **named)

    return noting


# A hook of audits would do, and see each `id()` too: 15,000 events in a run of a second.
for _name in ("getaddrinfo", "gethostbyname"):
    setattr(socket, _name, _noting(getattr(socket, _name), 0))
for _name in ("connect", "connect_ex"):
    setattr(socket.socket, _name, _noting(getattr(socket.socket, _name), 1))


@pytest.fixture(autouse=True)
def _nothing_beyond_this_machine() -> Iterator[None]:
    """Fail a test in which this process asked for another machine."""
    _BEYOND.clear()
    yield
    assert not _BEYOND, "a test may use loopback alone"
