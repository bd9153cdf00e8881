"""Lambda function ``set_up_index``: makes the indexes of a new deployment, for CloudFormation."""

from palimpsest.bootstrap.handlers import built_on_first_event
from palimpsest.bootstrap.set_up_index import build

lambda_handler = built_on_first_event(build)
