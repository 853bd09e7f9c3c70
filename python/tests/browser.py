"""A browser without a network, by its DevTools protocol over two pipes."""

import json
import os
import shutil
import subprocess
import tempfile
import time

FLAGS = (
    "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run",
    "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
)  # fmt: skip


class Browser:
    """One page. `errors`: what its console, or an exception, said was wrong; `asked`: addresses
    that it wanted to load."""

    def __init__(self, *flags):
        self._folder = tempfile.TemporaryDirectory(prefix="impinge-", ignore_cleanup_errors=True)
        self.errors, self.asked, self._last = [], [], 0
        to, self._write = os.pipe()
        self._read, back = os.pipe()
        command = [found(), *FLAGS, f"--user-data-dir={self._folder.name}", *flags]
        command = ["sh", "-c", f'exec "$@" 3<&{to} 4>&{back}', "sh", *command]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, pass_fds=(to, back), **quiet)
        os.close(to)
        os.close(back)
        self._rest, self._session = b"", None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def call(self, method, **given):
        """Returns the result; what comes before it is noted."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": given}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            self._note(answer.get("method"), answer.get("params", {}))

    def _next(self):
        while b"\0" not in self._rest:
            more = os.read(self._read, 1 << 16)
            assert more, "the browser has ended"
            self._rest += more
        line, self._rest = self._rest.split(b"\0", 1)
        return json.loads(line)

    def _note(self, method, what):
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(what["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "assert"):
            self.errors.append(json.dumps(what["args"]))
        elif method == "Log.entryAdded" and what["entry"]["level"] == "error":
            self.errors.append(what["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.asked.append(what["request"]["url"])

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def open(self, path, ready="true", seconds=60):
        """Waits until the expression is true; False if it never was."""
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.value(f'document.readyState === "complete" && Boolean({ready})'):
                return True
            time.sleep(0.1)
        return False

    def close(self):
        self._process.terminate()
        self._process.wait(30)
        os.close(self._read)
        os.close(self._write)
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def found():
    """The browser's program, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)
