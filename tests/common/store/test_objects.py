"""Objects by obstore, on its store in memory under `gs://`; a real server of S3 is in tests/integration/stores."""

import http.server
import io
import json
import os
import sys
import threading

import obstore
import pytest
from hypothesis import given
from hypothesis import strategies as st
from obstore.exceptions import GenericError
from obstore.store import GCSStore, MemoryStore

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store import files, objects
from lexbeam.transforms.common.store.objects import Objects, ObjectState, ObjectTag, StoreFailed
from lexbeam.transforms.common.store.remote import remote
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns, find_files

NAMES = ("a/b.txt", "a/b/c.txt", "a/bb", "sp ace/ü%41&+=?#[x].txt", "x{y}|z^w~`", "%20", "a\u0308", ".hidden/x")


@pytest.fixture
def bucket(monkeypatch):
    store = MemoryStore()
    monkeypatch.setattr(objects, "_opened", lambda scheme, name: store)
    return "gs://bucket"


def test_objects_are_read_as_they_were_written_whatever_their_names(bucket):
    for name in NAMES:
        files.write_bytes(f"{bucket}/{name}", name.encode())
    assert {e.name for e in files.list_files(bucket)} == {name for name in NAMES if not name.startswith(".")}
    for name in NAMES:
        path = f"{bucket}/{name}"
        assert files.read_bytes(path) == name.encode()
        assert files.size(path) == len(name.encode())
        files.remove(path)
        files.remove(path)
        assert not files.exists(path)
        with pytest.raises(FileNotFoundError, match="no such object"):
            files.open_read(path)


def test_folders_are_listed_one_deep_and_globs_by_name(bucket):
    for name in NAMES:
        files.write_bytes(f"{bucket}/{name}", b"")
    assert files.list_folder(f"{bucket}/a") == (("b.txt", "bb"), ("b",))
    assert files.list_folder(f"{bucket}/nowhere") == ((), ())
    assert files.list_folder(bucket).folders == (".hidden", "a", "sp ace")
    assert [e.name for e in files.list_files(f"{bucket}/a/*.txt")] == ["b.txt"]
    assert [e.name for e in files.list_files(f"{bucket}/a/bb")] == ["bb"]
    with pytest.raises(LexbeamError, match="no input files"):
        files.list_files(f"{bucket}/nowhere")
    for path in ("s3:///name", "s3://", "s3://.lock.json", "s3://buck*/name"):
        with pytest.raises(LexbeamError, match="names no bucket: give one, as in s3://BUCKET/"):
            files.exists(path)


def test_a_name_that_looks_like_a_pattern_is_no_pattern_if_something_lies_there(bucket, tmp_path):
    for name in ("in/1 [a]*.txt", "in/1 a.txt", "in [x]/2.txt", "in x/2.txt"):
        for place in (f"{bucket}/{name}", str(tmp_path / name)):
            os.makedirs(tmp_path / name.partition("/")[0], exist_ok=True)
            files.write_bytes(place, name.encode())
    (entry,) = files.list_files(f"{bucket}/in/1 [a]*.txt")
    assert (entry.name, entry.size) == ("1 [a]*.txt", 13)
    assert [e.path for e in files.list_files(f"{bucket}/in [x]")] == [f"{bucket}/in [x]/2.txt"]
    assert [e.name for e in files.list_files(f"{bucket}/in/1 [!b]*")] == ["1 [a]*.txt", "1 a.txt"]
    for place in (bucket, str(tmp_path)):
        names = ("in [x]", "in/1 [a]*.txt", "in/*.txt", "in/1 a.txt", "in/")
        roots = [f"{place}/in [x]", f"{place}/in", f"{place}/in", f"{place}/in", f"{place}/in"]
        assert [files.root_of(f"{place}/{name}").rstrip("/") for name in names] == roots


def test_files_of_an_object_store_have_the_names_that_they_have_on_a_disk(bucket, tmp_path):
    for name in ("1.txt", "a/2.txt", "a/b/3.txt", "a/.b/4.txt"):
        files.write_bytes(f"{bucket}/in/{name}", b"x")
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(b"x")
    for inputs in (
        ["in"],
        ["in/"],
        ["in/1.txt", "in/a/2.txt"],
        ["in/1.txt"],
        ["in/**/*.txt"],
        ["in/**"],
        ["in/*/*.txt"],
    ):
        here = find_files(InputPatterns(tuple(f"{tmp_path}/{path}" for path in inputs), (), str(tmp_path / "out")))
        there = find_files(InputPatterns(tuple(f"{bucket}/{path}" for path in inputs), (), "gs://bucket/out"))
        assert sorted(file.name for file in there) == sorted(file.name for file in here), inputs


def test_marks_of_folders_are_no_files_and_empty_objects_are(bucket, monkeypatch):
    """Consoles make an empty object `folder/`; obstore lists it as `folder`, where nothing can be read."""
    files.write_bytes(f"{bucket}/in/1.txt", b"x")
    files.write_bytes(f"{bucket}/in/empty.txt", b"")
    true = Objects.below

    def below(self, folder):
        yield from true(self, folder)
        for mark in (f"{bucket}/in", f"{bucket}/in/sub") if folder == f"{bucket}/in" else ():
            yield mark, ObjectState(0, 0, ObjectTag("d41d8cd98f00b204e9800998ecf8427e"))

    monkeypatch.setattr(Objects, "below", below)
    for path in ("in", "in/", "in/*", "in/**"):
        assert [e.name for e in files.list_files(f"{bucket}/{path}")] == ["1.txt", "empty.txt"], path


def test_keys_that_cannot_be_read_are_told(bucket, monkeypatch):
    for path in (f"{bucket}//a", f"{bucket}/a/../b", f"{bucket}/a\x07"):
        with pytest.raises(LexbeamError, match=r"no key can be so; between two slashes stands a name"):
            files.exists(path)

    def listed(*_):
        raise GenericError('invalid path: Error parsing Path "in/a\n": Encountered illegal character')

    monkeypatch.setattr(obstore, "list", listed)
    with pytest.raises(LexbeamError, match=r"an object there has the key 'in/a\\n', which cannot be read: rename"):
        files.list_files(f"{bucket}/in")


def test_an_address_without_scheme_is_told_and_not_shown(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "user:password@host:9000")
    objects._opened.cache_clear()
    with pytest.raises(UsageError, match="AWS_ENDPOINT_URL is no address: it begins with https://") as told:
        files.exists("s3://bucket/a")
    assert "password" not in str(told.value)


@pytest.mark.parametrize(
    ("place", "variables", "told"),
    [
        ("s3://bucket/a", {"AWS_ACCESS_KEY_ID": "id-secret"}, "Missing SecretAccessKey.* both are set or neither"),
        ("s3://bucket/a", {"AWS_ACCESS_KEY_ID": "id-secret\n"}, "AWS_ACCESS_KEY_ID holds a space or a line end"),
        ("s3://bucket/a", {"AWS_ENDPOINT_URL": "http://user:secret@a b"}, "AWS_ENDPOINT_URL holds a space"),
        ("gs://bucket/a", {"GOOGLE_APPLICATION_CREDENTIALS": "/nowhere"}, "No such file.*the path of a file of keys"),
        ("s3://id:secret@bucket/a", {}, "'s3://bucket/a' names no bucket"),
    ],
)
def test_keys_that_cannot_be_used_are_told_and_not_shown(place, variables, told, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    objects._opened.cache_clear()
    with pytest.raises(LexbeamError, match=told) as error:
        files.exists(place)
    assert "secret" not in str(error.value)


@pytest.fixture
def answer():
    """A server that answers everything with the status and the text that this list holds; then comes its address."""
    said = [404, ""]

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # an answer is one packet

        def log_message(self, *_):
            pass

        def reply(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            content = said[1].encode()
            self.send_response_only(said[0])
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = reply

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    said.append(f"http://127.0.0.1:{server.server_address[1]}")
    yield said
    server.shutdown()
    server.server_close()


@pytest.fixture(params=["s3", "gs"])
def place(request, answer, monkeypatch):
    """An object of a bucket on that server, by the interface of S3 or of Google Cloud Storage."""
    known = {"AWS_ENDPOINT_URL": answer[2], "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"}
    for name, value in known.items():
        monkeypatch.setenv(name, value)
    objects._opened.cache_clear()
    if request.param == "gs":
        key = json.dumps(
            {
                "gcs_base_url": answer[2],
                "disable_oauth": True,
                "client_email": "",
                "private_key": "",
                "private_key_id": "",
            }
        )
        google = GCSStore("bucket", config={"service_account_key": key}, client_options={"allow_http": True})
        monkeypatch.setattr(objects, "_opened", lambda scheme, name: google)
    yield f"{request.param}://bucket/a/b"
    monkeypatch.undo()
    objects._opened.cache_clear()


def error_text(code):
    return f"<?xml version='1.0' encoding='UTF-8'?><Error><Code>{code}</Code><Message>id secret</Message></Error>"


READS = (files.exists, files.size, files.modified, files.is_glob, files.read_bytes, files.open_read)
LISTS = (files.list_folder, files.list_files)
WRITES = (
    lambda path: files.write_bytes(path, b"x"),
    lambda path: files.update_bytes(path, lambda _: b"x"),
    lambda path: remote(path).swap(path, b"x", ObjectTag('"1"', "1")),
    lambda path: files.link_or_copy(path, path + "c"),
)


@pytest.mark.parametrize(
    ("status", "text", "told"),
    [
        (404, error_text("NoSuchBucket"), "there is no such bucket: check its name"),
        (404, error_text("XAdminUserNotFound"), r"the store refuses \(XAdminUserNotFound\): check the keys"),
        (403, error_text("InvalidAccessKeyId"), r"the store refuses \(InvalidAccessKeyId\): check the keys"),
        (403, error_text("SignatureDoesNotMatch"), r"the store refuses \(SignatureDoesNotMatch\): check the keys"),
        (403, error_text("AccessDenied"), r"the store refuses \(AccessDenied\): check the keys"),
        (401, "", r"the store refuses \(401 Unauthorized\): check the keys"),
        (
            403,
            "<html>Blocked</html>",
            r"\(403 Forbidden\): check the keys and what they allow, and the address.*: what answers may be a proxy",
        ),
        (400, error_text("ExpiredToken"), r"the store refuses \(ExpiredToken\): check the keys"),
        (
            404,
            "<html>Not Found</html>",
            r"404 Not Found\) does not say that there is no such object: check the address",
        ),
        (404, "", r"404 Not Found\) does not say that there is no such object: check the address"),
        (404, error_text("AnotherCode"), r"AnotherCode\) does not say that there is no such object: check the address"),
    ],
)
def test_only_a_store_that_says_so_has_no_such_object(place, answer, status, text, told):
    answer[:2] = status, text
    for use in (*READS, *LISTS, *WRITES):
        with pytest.raises(StoreFailed, match=told) as error:
            use(f"{place}*" if use is files.is_glob else place)
        assert "secret" not in str(error.value)


@pytest.mark.parametrize("place", ["s3"], indirect=True)
def test_a_refusal_without_keys_says_that_there_are_none(place, answer, monkeypatch):
    answer[:2] = 403, ""
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", answer[2])
    with pytest.raises(StoreFailed, match="AWS_ACCESS_KEY_ID is not set, so the role of this machine was asked for"):
        files.read_bytes(place)


def test_a_store_that_says_so_has_no_such_object(place, answer):
    answer[:2] = 404, error_text("NoSuchKey")
    assert not files.exists(place)
    assert files.size(place) is None
    assert remote(place).read_tagged(place) is None
    assert remote(place).swap(place, b"x", ObjectTag('"1"', "1")) is None
    files.remove(place)
    for use in (files.read_bytes, files.open_read):
        with pytest.raises(FileNotFoundError, match="no such object"):
            use(place)


def test_what_fails_while_it_is_written_leaves_what_was_there(bucket):
    path = f"{bucket}/a"
    files.write_bytes(path, b"old")
    with pytest.raises(RuntimeError), files.writing(path) as stream:
        stream.write(b"ne")
        raise RuntimeError
    assert files.read_bytes(path) == b"old"


@given(
    size=st.integers(0, 40),
    moves=st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.integers(-9, 50), st.integers(-1, 9))),
)
def test_reading_and_seeking_are_as_in_memory(size, moves):
    content = bytes(range(size))
    with pytest.MonkeyPatch.context() as patch:
        store = MemoryStore()
        patch.setattr(objects, "_opened", lambda scheme, name: store)
        patch.setattr(objects, "_READ_BYTES", 8)
        files.write_bytes("gs://bucket/a", content)
        with files.open_read("gs://bucket/a") as stream, io.BytesIO(content) as other:
            for whence, offset, number in moves:
                base = {0: 0, 1: other.tell(), 2: size}[whence]
                place = max(0, base + offset)
                assert stream.seek(place) == other.seek(place)
                assert stream.read(number) == other.read(number)
                assert stream.tell() == other.tell()


def test_an_object_that_is_replaced_while_it_is_read_is_an_error(bucket, monkeypatch):
    monkeypatch.setattr(objects, "_READ_BYTES", 8)
    path = f"{bucket}/a"
    files.write_bytes(path, b"a" * 100)
    with files.open_read(path) as stream:
        assert stream.read(4) == b"aaaa"
        files.write_bytes(path, b"b" * 100)
        with pytest.raises(OSError, match="replaced while it was read"):
            stream.read(50)


def test_objects_too_large_for_a_request_are_copied_in_pieces_and_these_are_not_too_many(bucket, monkeypatch):
    true, sizes = obstore.put, []

    def put(*place, chunk_size, **more):
        sizes.append(chunk_size)
        return true(*place, chunk_size=chunk_size, **more)

    def copied(*_):
        raise GenericError("<Code>InvalidRequest</Code>")

    monkeypatch.setattr(obstore, "put", put)
    monkeypatch.setattr(obstore, "copy", copied)
    monkeypatch.setattr(objects, "_WRITE_BYTES", 8)
    monkeypatch.setattr(objects, "_PIECES", 10)
    store = remote(bucket)
    for size in (80, 201):
        with store.writing(f"{bucket}/{size}") as stream:
            stream.write(bytes(size))
    assert sizes == [8, 21]
    with pytest.raises(StoreFailed, match="InvalidRequest"):
        store.copy(f"{bucket}/201", f"{bucket}/copy")
    monkeypatch.setattr(objects, "_COPY_BYTES", 200)
    store.copy(f"{bucket}/201", f"{bucket}/copy")
    assert store.read(f"{bucket}/copy") == bytes(201)


@pytest.mark.parametrize("place", ["gs://bucket/a", "store://bucket/a"])
def test_swap_writes_only_over_what_was_read(place, monkeypatch, store):
    memory = MemoryStore()
    monkeypatch.setattr(objects, "_opened", lambda scheme, name: memory)
    where = remote(place)
    first = where.swap(place, b"1", None)
    assert first is not None
    assert where.swap(place, b"2", None) is None
    content, tag = where.read_tagged(place)
    assert content == b"1"
    second = where.swap(place, b"3", tag)
    assert second is not None
    assert where.swap(place, b"4", tag) is None
    assert files.read_bytes(place) == b"3"
    assert where.swap(place, b"5", second) is not None
    files.remove(place)
    assert where.swap(place, b"6", second) is None
    assert where.read_tagged(place) is None


def test_a_request_that_was_sent_twice_is_no_defeat(bucket):
    path, where = f"{bucket}/a", remote("gs://bucket")
    assert where.swap(path, b"mine", None) is not None
    # Its answer was lost: the second is refused, since the first has written the same.
    assert where.swap(path, b"mine", None) is not None
    assert where.swap(path, b"other", None) is None


def test_a_missing_package_is_told_with_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "obstore", None)
    objects._opened.cache_clear()
    for use in (files.exists, files.read_bytes, files.open_read, files.list_files, files.list_folder, files.remove):
        with pytest.raises(UsageError, match=r"paths s3:// need the Python package obstore.*objects"):
            use("s3://bucket/a")
    with pytest.raises(UsageError, match="obstore"):
        files.write_bytes("s3://bucket/a", b"")
