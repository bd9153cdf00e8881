"""Which calls a collection has at all; everything else is 404.

Source: developer guide, "Supported operations and permissions"; threads for what is missing
(opensearch-java#1112, searchkick#1714, opensearch-api-specification#640, fluent-plugin-opensearch#126).
`_msearch` and `_cat/indices` are in doubt, so they are refused.
"""

import re

from tests.gate.exchange import Request, refuse

# A name that starts with an underscore is a call, never an index.
INDEX = r"/[^_/][^/]*"

ROUTES: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (pattern, frozenset(methods.split()))
    for pattern, methods in (
        (INDEX, "PUT GET HEAD DELETE"),
        (rf"({INDEX})?/_mappings?", "GET"),
        (rf"{INDEX}/_mappings?", "GET PUT"),
        (rf"{INDEX}/_settings?", "GET PUT"),
        (rf"{INDEX}/_doc", "POST"),
        (rf"{INDEX}/_doc/[^/]+", "PUT GET HEAD DELETE"),
        (rf"{INDEX}/_create/[^/]+", "PUT POST"),
        (rf"{INDEX}/_update/[^/]+", "POST"),
        (rf"{INDEX}/_source/[^/]+", "GET HEAD"),
        (rf"({INDEX})?/_bulk", "POST"),
        (rf"({INDEX})?/_(search|count|mget|field_caps|analyze)", "GET POST"),
        (rf"{INDEX}/_explain/[^/]+", "GET POST"),
        (rf"{INDEX}/_search/point_in_time", "POST"),
        (r"/_search/point_in_time", "DELETE"),
        (r"/_search/point_in_time/_all", "GET DELETE"),
        (r"/_aliases", "POST"),
        (rf"({INDEX})?/_alias", "GET"),
        (r"/_alias/[^/]+", "GET HEAD"),
        (rf"{INDEX}/_alias(es)?/[^/]+", "PUT POST GET HEAD DELETE"),
        (r"/_resolve/index/[^/]+", "GET"),
    )
)

# opensearch-spark#634: a time-out on an index call is 400; refresh: backstage#20212; no scroll.
REFUSED_PARAMETERS = frozenset(
    {"refresh", "scroll", "master_timeout", "cluster_manager_timeout", "wait_for_active_shards"}
)


def check_route(request: Request) -> None:
    """Let pass what a collection has.

    Raises:
        RefusedError: 404 for a call that it has not, 400 for a parameter that it does not take.
    """
    allowed = [methods for pattern, methods in ROUTES if re.fullmatch(pattern, request.path)]
    if not any(request.method in methods for methods in allowed):
        raise refuse(404, "not_found", f"no such call: {request.method} {request.path}")
    refused = request.query.keys() & REFUSED_PARAMETERS
    if "timeout" in request.query and "_search" not in request.parts:
        refused |= {"timeout"}
    if refused:
        reason = f"request [{request.path}] contains unsupported parameter: {sorted(refused)}"
        raise refuse(400, "illegal_argument_exception", reason)
