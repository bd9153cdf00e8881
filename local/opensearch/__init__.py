"""The real OpenSearch on a laptop, put together from published artifacts, without Docker."""
