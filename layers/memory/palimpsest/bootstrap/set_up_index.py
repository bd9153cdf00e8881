"""Builds the function ``set_up_index``."""

from collections.abc import Mapping

from palimpsest.adapters.cloudformation.answers import send_answer
from palimpsest.api.custom_resources import CustomResourceApplication
from palimpsest.bootstrap.opensearch import set_up_opensearch
from palimpsest.bootstrap.parts import build_logger
from palimpsest.bootstrap.search import build_embeddings
from palimpsest.bootstrap.settings import SetUpIndexSettings, read_settings


def build(environ: Mapping[str, str]) -> CustomResourceApplication:
    """Return the function's application.

    Settings that are not fit show when they are used: CloudFormation is told of nothing that goes wrong before.
    """

    def set_up(seconds: float) -> str:
        settings = read_settings(SetUpIndexSettings, environ)
        embeddings = build_embeddings(settings.embeddings_uri)
        return set_up_opensearch(settings.index_uri, embeddings, seconds=seconds)

    return CustomResourceApplication(set_up=set_up, send=send_answer, logger=build_logger())
