"""Lambda function ``retrieve_facts``: facts by words and by meaning."""

from palimpsest.bootstrap.handlers import built_on_first_event
from palimpsest.bootstrap.retrieve_facts import build

lambda_handler = built_on_first_event(build)
