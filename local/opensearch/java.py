"""Finding a Java that OpenSearch 2.19 runs on."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

# Tried with 17. OpenSearch 2.19 names 11, 17 and 21; its options here need `java.security.manager`
# and the COMPAT locale data, which JDK 23 and 24 dropped.
OLDEST = 17
NEWEST = 21

# Where packages put a Java that is not on the PATH: Debian, Fedora, Homebrew.
KNOWN_FOLDERS = ("/usr/lib/jvm", "/opt/homebrew/opt", "/usr/local/opt")

HOW_TO_INSTALL = """\
OpenSearch needs Java 17 (up to 21): neither JAVA_HOME nor the PATH nor the usual folders have one.
  Debian, Ubuntu: apt-get install openjdk-17-jre-headless
  Fedora:         dnf install java-17-openjdk-headless
  macOS:          brew install openjdk@17
Or give the URL of a server that runs already: OPENSEARCH_URL=http://127.0.0.1:9200"""


class JavaNotFoundError(RuntimeError):
    """No Java of a version that OpenSearch runs on; the message says how to install one."""


def find_java(environ: Mapping[str, str], *, folders: Sequence[str] = KNOWN_FOLDERS) -> Path:
    """Return the first fitting Java: JAVA_HOME, then the PATH, then the folders given.

    Raises:
        JavaNotFoundError: if none of them is of a version from 17 to 21.
    """
    for candidate in _candidates(environ, folders):
        version = major_version(candidate)
        if version is not None and OLDEST <= version <= NEWEST:
            return candidate
    raise JavaNotFoundError(HOW_TO_INSTALL)


def major_version(java: Path) -> int | None:
    """Return the major version that `java -version` tells, or None if it tells none."""
    try:
        told = subprocess.run(
            [str(java), "-version"], capture_output=True, text=True, timeout=30, check=True
        ).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "(\d+)', told)
    return int(found.group(1)) if found else None


def _candidates(environ: Mapping[str, str], folders: Sequence[str]) -> Iterator[Path]:
    if home := environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / "java"
    if on_path := shutil.which("java", path=environ.get("PATH")):
        yield Path(on_path)
    for folder in folders:
        yield from sorted(Path(folder).glob("*/bin/java"))
