import time

import pytest

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.stream.polling import LookSign, LookWatch, last_look, patience


def test_signs_are_seen_and_not_given_too_often(tmp_path, monkeypatch):
    assert last_look(str(tmp_path)) is None
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    sign, watch = LookSign(str(tmp_path)), LookWatch(str(tmp_path), 100)
    for _ in range(20):
        now[0] += 40
        sign.give()
        watch.check()
    written = (tmp_path / "stream.looked").read_bytes()
    now[0] += 1
    sign.give()
    assert (tmp_path / "stream.looked").read_bytes() == written
    assert abs(last_look(str(tmp_path)) - time.time()) < 60


def test_no_sign_for_too_long_is_an_error(tmp_path, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    (tmp_path / "stream.looked").write_text("1.0\n")  # of the stream before
    watch = LookWatch(str(tmp_path), 100)
    now[0] += 100
    watch.check()
    now[0] += 1
    with pytest.raises(LexbeamError, match="for 101 s"):
        watch.check()


@pytest.mark.parametrize("error", [LexbeamError("the store does not answer"), TimeoutError()])
def test_a_store_that_does_not_answer_is_neither_a_sign_nor_the_end(error, tmp_path, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    (tmp_path / "stream.looked").write_text("1.0\n")
    watch = LookWatch(str(tmp_path), 100)

    def fail(_):
        raise error

    monkeypatch.setattr(files, "read_bytes", fail)
    now[0] += 99
    watch.check()
    assert last_look(str(tmp_path)) is None
    now[0] += 2
    with pytest.raises(LexbeamError, match="for 101 s"):
        watch.check()


def test_what_is_no_sign_is_none(tmp_path):
    (tmp_path / "stream.looked").write_text("never")
    assert last_look(str(tmp_path)) is None


@pytest.mark.parametrize(("every", "seconds"), [(1, 600), (10, 600), (60, 3600)])
def test_patience_grows_with_the_time_between_looks(every, seconds):
    assert patience(every) == seconds
