"""Lambda function ``serve_tools``: tools for agents, over the Model Context Protocol and REST."""

from palimpsest.bootstrap.handlers import built_on_first_event
from palimpsest.bootstrap.serve_tools import build

lambda_handler = built_on_first_event(build)
