"""Lambda function ``describe_service``: who asks, whether it lives, and every route that is none."""

from palimpsest.bootstrap.describe_service import build
from palimpsest.bootstrap.handlers import built_on_first_event

lambda_handler = built_on_first_event(build)
