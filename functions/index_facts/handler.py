"""Lambda function ``index_facts``: the index follows the table."""

from palimpsest.bootstrap.handlers import built_on_first_event
from palimpsest.bootstrap.index_facts import build

lambda_handler = built_on_first_event(build)
