"""Errors of the operating system, as a person reads them."""

import errno
import os
import re
import subprocess
import sys

import pytest
from apache_beam.io.filesystem import BeamIOError

from lexbeam.transforms.common.errors import LexbeamError, explained_text, explaining, quoted, readable

CODES = (
    "EACCES",
    "EROFS",
    "ENOSPC",
    "ENAMETOOLONG",
    "ELOOP",
    "ENOTDIR",
    "EISDIR",
    "EMFILE",
    "EDQUOT",
    "ENOENT",
    "EIO",
    "EFBIG",
    "EPERM",
)


@pytest.mark.parametrize("name", CODES)
def test_each_names_path_cause_and_remedy(name):
    code = getattr(errno, name)
    with pytest.raises(LexbeamError) as caught, explaining():
        raise OSError(code, os.strerror(code), "/a/b")
    assert re.fullmatch(r"'/a/b': [a-z][^;]+; [a-z].*", str(caught.value))
    again = explained_text(f"Traceback\n  x\n{caught.value.__cause__!r}\n")
    text = f"Traceback:\n  File x\nOSError: [Errno {code}] {os.strerror(code)}: '/a/b'\n"
    assert again is None
    assert str(explained_text(text)) == str(caught.value)


def test_others_pass_or_say_what_they_say():
    for error in (BrokenPipeError(), LexbeamError("x"), KeyError("x")):
        with pytest.raises(type(error)), explaining():
            raise error
    with pytest.raises(LexbeamError, match="damaged thrift"), explaining():
        raise OSError("damaged thrift")
    with pytest.raises(LexbeamError, match="there is not enough memory"), explaining():
        raise MemoryError


def test_an_error_of_a_store_names_its_path_and_what_its_library_says():
    denied = PermissionError("Unable to locate credentials")
    inner = BeamIOError("exists() operation failed", {"s3://b/x": denied})
    error = BeamIOError("Match operation failed", {"s3://b/x/**": inner})
    with pytest.raises(LexbeamError) as caught, explaining("/a/out"):
        raise error
    assert re.fullmatch(
        r"'s3://b/x': .*: Unable to locate credentials; check the path, .*credentials.*", str(caught.value)
    )


def test_a_traceback_counts_by_its_last_line():
    text = "FileNotFoundError: [Errno 2] No such file: 'x'\n\nValueError: other\n"
    assert explained_text(text) is None
    assert explained_text("") is None


def test_a_message_can_be_printed_and_read():
    message = readable("a\x1b[2J\x00\udc80\u202e " + "x" * 10_000 + "\nsecond\tline")
    first, second = message.split("\n")
    assert first.startswith("a\\x1b[2J\\x00\\udc80\\u202e x")
    assert re.search(r"x \.\.\. \d+ characters more \.\.\. x", first)
    assert len(first) < 2100
    assert second == "second\tline"
    assert str(LexbeamError("\x07")) == "\\x07"


def test_any_value_can_be_quoted():
    class Bad:
        def __repr__(self):
            raise RuntimeError

    assert quoted(Bad()) == "a value of type Bad"
    assert quoted(10**5000) == "a value of type int"
    assert len(quoted("x" * 10**6)) < 300


def test_output_that_cannot_be_written():
    command = [sys.executable, "-m", "lexbeam.pipelines.cli", "--version"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "no space" in done.stderr
    assert "Error" not in done.stderr
