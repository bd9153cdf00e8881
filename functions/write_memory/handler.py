"""Lambda function ``write_memory``: write, rate and delete atoms."""

from palimpsest.bootstrap.handlers import built_on_first_event
from palimpsest.bootstrap.write_memory import build

lambda_handler = built_on_first_event(build)
