"""The laptop with the small handlers instead of the real ones: PORT DATA."""

import sys
from pathlib import Path

from local.data_folder import DataFolder
from local.service import Settings, run_service

TEMPLATE = Path(__file__).with_name("template.yaml")


def ensure_token(folder, environ):
    return "pal_invented"


def say(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    port, data = sys.argv[1:]
    folder = DataFolder.at(Path(data))
    run_service(Settings(folder, int(port), TEMPLATE), ensure_token=ensure_token, say=say)
