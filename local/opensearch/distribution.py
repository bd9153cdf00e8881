"""Putting OpenSearch together from Maven artifacts, once for each user.

Every fetched file must have the SHA-256 that stands in `SHA256SUMS` beside this module: a proxy, a
broken download or another version cannot slip in. To renew it after a change of version, see
`local/opensearch/README.md`.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

VERSION = "2.19.1"
SOURCES = Path(__file__).parent
CHECKSUMS = SOURCES / "SHA256SUMS"

# The first run fetches 52 MB through somebody's proxy; a run that takes longer hangs.
MAVEN_TIMEOUT_SECONDS = 900

HOW_TO_INSTALL_MAVEN = """\
OpenSearch is put together by Maven, and there is no `mvn` on the PATH.
  Debian, Ubuntu: apt-get install maven
  macOS:          brew install maven
Or give the URL of a server that runs already: OPENSEARCH_URL=http://127.0.0.1:9200"""


class AssemblyError(RuntimeError):
    """The distribution could not be put together; the message says why and what to do."""


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Return where this user's assembled engines lie, by the XDG rule: `~/.cache/palimpsest`."""
    base = environ.get("XDG_CACHE_HOME") or str(
        Path(environ.get("HOME", "~")).expanduser() / ".cache"
    )
    return Path(base) / "palimpsest" / "opensearch"


def get_distribution(
    cache: Path,
    environ: Mapping[str, str],
    *,
    fetch: Callable[[Path, Mapping[str, str]], None] | None = None,
    say: Callable[[str], None] = print,
) -> Path:
    """Return the folder of the assembled OpenSearch, putting it together when it is not there.

    It appears under its final name only when it is whole and checked, so a killed run leaves
    nothing that a later one would take for good. Of two runs at a time the second waits.

    Args:
        cache: Folder that holds one folder for each assembled version.
        environ: For Maven.
        fetch: Fills the folder given with the artifacts; Maven unless a test says otherwise.
        say: Told when the long part starts.

    Raises:
        AssemblyError: if Maven is missing or fails, or a file is not the one that we know.
    """
    ready = cache / f"{VERSION}-{_fingerprint()}"
    if ready.is_dir():
        return ready
    cache.mkdir(parents=True, exist_ok=True)
    with _exclusively(cache / "assembly.lock"):
        if not ready.is_dir():
            say(f"Fetching OpenSearch {VERSION} with its k-NN plugin (52 MB, once) into {ready}")
            with tempfile.TemporaryDirectory(prefix="assembly-", dir=cache) as staging:
                home = Path(staging) / "home"
                (fetch or fetch_with_maven)(home, environ)
                verify(home, read_checksums(CHECKSUMS))
                _add_descriptors(home)
                home.rename(ready)
    return ready


def fetch_with_maven(home: Path, environ: Mapping[str, str]) -> None:
    """Let Maven copy every jar and the plugin into `home`, its own checksums strict.

    Raises:
        AssemblyError: if there is no Maven, or it fails.
    """
    maven = shutil.which("mvn", path=environ.get("PATH"))
    if maven is None:
        raise AssemblyError(HOW_TO_INSTALL_MAVEN)
    command = [maven, "--batch-mode", "--quiet", "--strict-checksums"]
    command += ["--file", str(SOURCES / "pom.xml"), "package", f"-Dopensearch.home={home}"]
    try:
        subprocess.run(
            command,
            env=dict(environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=MAVEN_TIMEOUT_SECONDS,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        last_lines = "\n".join(error.stdout.splitlines()[-12:])
        raise AssemblyError(f"Maven could not fetch OpenSearch:\n{last_lines}") from error
    except subprocess.TimeoutExpired as error:
        raise AssemblyError(f"Maven took longer than {MAVEN_TIMEOUT_SECONDS} s") from error


def read_checksums(path: Path) -> dict[str, str]:
    """Return relative file name → SHA-256 in hex, from a file as `sha256sum` writes it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}


def verify(home: Path, expected: Mapping[str, str]) -> None:
    """Check that `home` holds exactly the files in `expected`, each with its SHA-256.

    Raises:
        AssemblyError: if one is missing, unknown or different; the message names them.
    """
    found = {
        path.relative_to(home).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in home.rglob("*")
        if path.is_file()
    }
    wrong = [f"missing: {name}" for name in sorted(expected.keys() - found.keys())]
    wrong += [f"unknown: {name}" for name in sorted(found.keys() - expected.keys())]
    wrong += [
        f"different: {name}"
        for name in sorted(expected.keys() & found.keys())
        if expected[name] != found[name]
    ]
    if wrong:
        raise AssemblyError("The fetched OpenSearch is not the one we know:\n" + "\n".join(wrong))


def _descriptors() -> list[Path]:
    """The module descriptors and policies that are ours, since no artifact carries them."""
    return sorted([*SOURCES.glob("modules/*/*.properties"), *SOURCES.glob("modules/*/*.policy")])


def _add_descriptors(home: Path) -> None:
    for path in _descriptors():
        shutil.copyfile(path, home / path.relative_to(SOURCES))


def _fingerprint() -> str:
    """Change with everything that lies in the folder, so that an older one is not taken for it."""
    digest = hashlib.sha256()
    for path in [CHECKSUMS, *_descriptors()]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@contextmanager
def _exclusively(path: Path) -> Iterator[None]:
    """Hold a file lock; a process that dies gives it up."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
