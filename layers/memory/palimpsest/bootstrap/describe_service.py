"""Builds the function ``describe_service``."""

from collections.abc import Mapping

from palimpsest.api.application import Application
from palimpsest.api.service import ServiceApi
from palimpsest.bootstrap.parts import build_application
from palimpsest.bootstrap.settings import DescribeServiceSettings, read_settings
from palimpsest.bootstrap.version import VERSION


def build(environ: Mapping[str, str]) -> Application:
    """Return the function's application.

    Raises:
        SettingsError: If the environment is not fit.
    """
    settings = read_settings(DescribeServiceSettings, environ)
    api = ServiceApi(version=VERSION)
    return build_application(settings, api.endpoints(), api.public_endpoints())
