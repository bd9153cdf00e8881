"""A real browser, spoken to in the WebDriver protocol: JSON over HTTP (W3C Recommendation of 2018)."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.polling import wait_until

START_SECONDS = 60
_ELEMENT = (
    "element-6066-11e4-a52e-4f735466cecf"  # the key of an element's reference, by the standard
)
_STARTED = re.compile(r"started successfully on port (\d+)")
_ARGUMENTS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-dev-shm-usage",  # small in containers
    "--no-sandbox",  # it refuses to run as root with one, and it opens our own page alone
    "--no-proxy-server",
)


@dataclass(frozen=True)
class Browser:
    """One window.

    Attributes:
        session: Speaks to the driver, at the session's address.
    """

    session: httpx.Client

    def open(self, url: str) -> None:
        self._do("POST", "url", url=url)

    def texts(self, css: str) -> list[str]:
        """Return the visible text of each element that a selector finds."""
        found = self._do("POST", "elements", using="css selector", value=css)
        return [self._do("GET", f"element/{e[_ELEMENT]}/text") for e in found]

    def click(self, css: str) -> None:
        self._do("POST", f"element/{self._wait_for(css)}/click")

    def type(self, css: str, text: str) -> None:
        self._do("POST", f"element/{self._wait_for(css)}/value", text=text)

    def run(self, script: str) -> Any:
        """Return what a script in the page returns."""
        return self._do("POST", "execute/sync", script=script, args=[])

    def complaints(self) -> list[str]:
        """Return what the page wrote to the console as errors, what it could not load included."""
        entries = self._do("POST", "se/log", type="browser")
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def _wait_for(self, css: str) -> str:
        found: list[dict[str, str]] = wait_until(
            lambda: self._do("POST", "elements", using="css selector", value=css),
            f"the page has {css}",
        )
        return found[0][_ELEMENT]

    def _do(self, method: str, path: str, **body: object) -> Any:
        answer = self.session.request(method, path, json=body if method == "POST" else None)
        assert answer.is_success, answer.text
        return answer.json()["value"]


@contextmanager
def running_browser(folder: Path) -> Iterator[Browser]:
    """Start a browser with a profile of its own in a folder, and end it."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    assert program, "there is no chromium here: `.ci/find-browser` installs it on Debian"
    assert driver, "there is no chromedriver here: `.ci/find-browser` installs it on Debian"
    log = folder / "driver.log"
    with log.open("w") as output:
        process = subprocess.Popen([driver, "--port=0"], stdout=output, stderr=output)
    try:
        ports: list[str] = wait_until(
            lambda: _STARTED.findall(log.read_text()), "the driver starts", seconds=START_SECONDS
        )
        with httpx.Client(base_url=f"http://127.0.0.1:{ports[0]}", timeout=START_SECONDS) as client:
            yield from _session(client, program, folder)
    finally:
        process.terminate()
        process.wait()


def _session(client: httpx.Client, program: str, folder: Path) -> Iterator[Browser]:
    options = {"binary": program, "args": [*_ARGUMENTS, f"--user-data-dir={folder / 'profile'}"]}
    wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
    answer = client.post("/session", json={"capabilities": {"alwaysMatch": wanted}})
    assert answer.is_success, answer.text
    path = f"/session/{answer.json()['value']['sessionId']}"
    with httpx.Client(base_url=f"{client.base_url}{path}/", timeout=START_SECONDS) as session:
        yield Browser(session)
    client.delete(path)
