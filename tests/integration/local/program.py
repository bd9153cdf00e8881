"""The laptop with the small handlers instead of the real ones: DATA PORT."""

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
    folder = DataFolder.at(Path(sys.argv[1]))
    run_service(Settings(folder, int(sys.argv[2]), TEMPLATE), ensure_token=ensure_token, say=say)
