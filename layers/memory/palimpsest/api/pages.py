"""Pages for people."""

from importlib.resources import files

# Swagger UI as aws-lambda-powertools carries it. Its files are read and its package is not imported: that would load the
# whole event handler (80 ms), which nothing here uses.
_SWAGGER_UI = "event_handler/openapi/swagger_ui"

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Palimpsest</title><link rel="icon" href="data:,"><style>{style}</style></head>
<body><div id="page"></div><script>{script}</script>
<script>
SwaggerUIBundle({{dom_id: "#page", spec: {spec}, deepLinking: true, tryItOutEnabled: true}});
</script></body>
</html>
"""


def reading_page(openapi: str) -> str:
    """Return a page that shows an OpenAPI document and lets a person try it; it loads nothing from elsewhere.

    Args:
        openapi: The document as JSON text.
    """
    folder = files("aws_lambda_powertools") / _SWAGGER_UI
    return _PAGE.format(
        style=(folder / "swagger-ui.min.css").read_text("utf-8"),
        script=(folder / "swagger-ui-bundle.min.js").read_text("utf-8"),
        # Inside a script element "</" would end it, whatever string it stands in.
        spec=openapi.replace("</", "<\\/"),
    )
