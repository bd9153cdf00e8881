"""Lambda function ``list_facts``: facts, page by page."""

from palimpsest.bootstrap.handlers import built_on_first_event
from palimpsest.bootstrap.list_facts import build

lambda_handler = built_on_first_event(build)
