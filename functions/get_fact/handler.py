"""Lambda function ``get_fact``: one fact, or its history."""

from palimpsest.bootstrap.get_fact import build
from palimpsest.bootstrap.handlers import built_on_first_event

lambda_handler = built_on_first_event(build)
