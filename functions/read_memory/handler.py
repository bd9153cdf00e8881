"""Lambda function ``read_memory``: the read side of ``/api/v1/memory``."""

from palimpsest.bootstrap.handlers import built_on_first_event
from palimpsest.bootstrap.read_memory import build

lambda_handler = built_on_first_event(build)
