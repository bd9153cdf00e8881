"""Print the OpenAPI document, for `docs/openapi.json`."""

import json
import sys

from palimpsest.api.openapi import document
from palimpsest.bootstrap.version import VERSION


def main() -> None:
    """Print the document, indented, so that a change of it can be read."""
    json.dump(document(VERSION), sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
