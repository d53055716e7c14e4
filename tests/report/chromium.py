"""A headless Chromium, driven over a pipe: no package is needed, and no port."""

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-extensions",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--window-size=1200,900",
)
DRAWN = "document.documentElement?.dataset.drawn === 'true'"
WAIT = 60  # seconds, for an answer or a condition


def find_chromium() -> str | None:
    """Return the path of a Chromium, None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Page:
    """A page of a running Chromium, and what it said and asked for.

    Attributes:
        errors: console errors and warnings, exceptions, and what the log of the browser says.
        requests: addresses that the page asked for.
    """

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._out, self._in = to_browser, from_browser
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.errors: list[str] = []
        self.requests: list[str] = []

    def open(self, path: Path) -> None:
        """Load a local file and wait until its report is drawn."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            self.send(f"{domain}.enable")
        self.send("Page.navigate", url=path.as_uri())
        self.wait(DRAWN)

    def reload(self) -> None:
        """Load the file anew and wait until its report is drawn."""
        self.run("window.old = true")
        self.send("Page.reload")
        self.wait(f"!window.old && {DRAWN}")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def run(self, script: str) -> Any:
        """Return the value of a JavaScript expression in the page."""
        result = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, script: str) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + WAIT
        while not self._is_true(script):
            assert time.monotonic() < end, f"never true: {script}; {self.errors}"
            time.sleep(0.05)

    def _is_true(self, script: str) -> bool:
        try:
            return bool(self.run(script))
        except AssertionError as error:
            if "navigated" in str(error) or "context" in str(error):
                return False  # the page went while it was asked
            raise

    def press(self, key: str, text: str = "") -> None:
        """Press a key, such as Tab, Enter (with text "\\r") or a letter (with itself as text)."""
        code = {"Enter": 13, " ": 32, "Tab": 9}.get(key, ord(key[0].upper()))
        common = {"key": key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def emulate(self, scheme: str = "light", media: str = "") -> None:
        """Let the system prefer a colour scheme, and the page be shown on another medium."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", media=media, features=features)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], WAIT)
            assert ready, "Chromium does not answer"
            read = os.read(self._in, 1 << 20)
            assert read, "Chromium has ended"
            self._buffer += read
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, event: dict[str, Any]) -> None:
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.errors.append(str(params["args"]))
        elif method == "Log.entryAdded":
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])


@contextlib.contextmanager
def open_page(chromium: str, profile: Path, path: Path) -> Any:
    """Open a file in a Chromium of its own, with its profile in a folder of its own."""
    child_in, to_browser = os.pipe()
    from_browser, child_out = os.pipe()
    # The browser reads from 3 and writes to 4; the shell puts the pipes there.
    script = f'exec "$@" 3<&{child_in} 4>&{child_out}'
    process = subprocess.Popen(
        ["bash", "-c", script, "bash", chromium, *FLAGS, f"--user-data-dir={profile}"],
        pass_fds=(child_in, child_out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(child_in)
    os.close(child_out)
    try:
        page = Page(to_browser, from_browser)
        page.open(path)
        yield page
    finally:
        os.close(to_browser)
        os.close(from_browser)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
