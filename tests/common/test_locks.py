import multiprocessing
import os
import signal

from lexbeam.transforms.common.machine import locked_file


def hold(path, held):
    with locked_file(path):
        held.set()
        signal.pause()


def test_the_lock_of_a_killed_process_is_free(tmp_path):
    path = str(tmp_path / "folder" / "a.lock")
    context = multiprocessing.get_context("fork")
    held = context.Event()
    process = context.Process(target=hold, args=(path, held))
    process.start()
    assert held.wait(30)
    with locked_file(path, wait=False) as ours:
        assert not ours
    process.kill()
    process.join()
    with locked_file(path) as ours:
        assert ours


def test_who_waits_takes_the_file_that_has_the_name(tmp_path):
    path = str(tmp_path / "a.lock")
    with locked_file(path), locked_file(path, wait=False) as again:
        assert not again  # within a process, too
    with locked_file(path):
        os.remove(path)
        with locked_file(path) as ours:  # another file
            assert ours
