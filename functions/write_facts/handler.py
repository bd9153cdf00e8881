"""Lambda function ``write_facts``: write, supersede, verify and delete facts."""

from palimpsest.bootstrap.handlers import built_on_first_event
from palimpsest.bootstrap.write_facts import build

lambda_handler = built_on_first_event(build)
