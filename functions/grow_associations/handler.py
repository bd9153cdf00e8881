"""Lambda function ``grow_associations``: what requests taught is learnt after their answers."""

from palimpsest.bootstrap.grow_associations import build
from palimpsest.bootstrap.handlers import built_on_first_event

lambda_handler = built_on_first_event(build)
