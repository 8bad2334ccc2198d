"""The pages in a real browser: they open, sort, fit, stay readable in light and dark, and ask the network for nothing.

The browser is spoken to through a pipe (Chrome's `--remote-debugging-pipe`), which needs no package and no port.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import time

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BINARY = next((path for path in map(shutil.which, NAMES) if path), None)
pytestmark = pytest.mark.skipif(BINARY is None, reason=f"no browser on the PATH: install one of {', '.join(NAMES)}")

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --no-default-browser-check "
    "--disable-background-networking --disable-component-update --disable-sync --disable-extensions "
    "--remote-debugging-pipe"
).split()


class Browser:
    """One headless browser with one tab; `log` collects what pages print or ask for."""

    def __init__(self, folder):
        to_child, self.out = os.pipe()
        self.into, from_child = os.pipe()

        def wire():
            # The child reads commands from descriptor 3 and answers on 4.
            read, write = os.dup(to_child), os.dup(from_child)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [BINARY, *FLAGS, f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=wire,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_child)
        os.close(from_child)
        self.numbers, self.buffer, self.log, self.loaded, self.session = itertools.count(1), b"", [], False, None
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM", "Accessibility"):
            self(f"{domain}.enable")

    def __call__(self, method, **parameters):
        """Send a command and return its result."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self):
        while b"\0" not in self.buffer:
            more = os.read(self.into, 1 << 16)
            assert more, "the browser closed its pipe"
            self.buffer += more
        message, _, self.buffer = self.buffer.partition(b"\0")
        found = json.loads(message)
        kind, details = found.get("method"), found.get("params", {})
        if kind == "Page.loadEventFired":
            self.loaded = True
        elif kind in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.log.append(details)
        elif kind == "Network.requestWillBeSent":
            self.log.append(details["request"]["url"])
        return found

    def open(self, path, *, width=1100, scheme="light", media="", script=True):
        """Load a page in a window of that width and return what was logged, without the page's own address."""
        self.log, self.loaded = [], False
        self("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self("Emulation.setScriptExecutionDisabled", value=not script)
        self("Page.navigate", url=path.as_uri())
        while not self.loaded:
            self._next()
        self("Page.getLayoutMetrics")  # what was logged while loading has arrived before this answer
        return [entry for entry in self.log if entry != path.as_uri()]

    def run(self, expression):
        """Return what an expression evaluates to in the page."""
        answer = self("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def key(self, name, code=0, letter=""):
        for kind in ("keyDown", "keyUp"):
            self(
                "Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, text=letter
            )

    def close(self):
        self.session = None
        os.write(self.out, json.dumps({"id": 0, "method": "Browser.close"}).encode() + b"\0")
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)
