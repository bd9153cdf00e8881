"""Where OpenSearch's errors become the domain's: one table, one context manager."""

from collections.abc import Iterator
from contextlib import contextmanager

from opensearchpy.exceptions import (
    ConnectionError as OpenSearchConnectionError,
)
from opensearchpy.exceptions import (
    OpenSearchException,
    TransportError,
)

from palimpsest.domain.errors import PalimpsestError, SearchUnavailableError, StoreFailedError

# Trying again does not help: our mistake (400, 413), or the deployment's (401, 403).
REFUSED_STATUSES = frozenset({400, 401, 403, 405, 413})

# Trying again soon may help. 402: the collection grows no further for now (Synapse-Repository-Services#5689); 500 and 502
# come under load (NASA-PDS/registry#340, #329).
TRANSIENT_STATUSES = frozenset({402, 408, 429, 500, 502, 503, 504})


@contextmanager
def index_errors() -> Iterator[None]:
    """Turn every error of the vendor's library into one of the domain's; the cause keeps what the vendor said.

    Raises:
        SearchUnavailableError: If there is no answer in time, or no index yet.
        StoreFailedError: If the index refused for good.
    """
    try:
        yield
    except OpenSearchException as error:
        raise _translated(error) from error


def is_transient(error: OpenSearchException) -> bool:
    """Tell whether the same request may succeed a little later."""
    if isinstance(error, OpenSearchConnectionError):
        return True
    return isinstance(error, TransportError) and error.status_code in TRANSIENT_STATUSES


def _translated(error: OpenSearchException) -> PalimpsestError:
    # The vendor's message may quote a document, so it stays in the cause.
    if isinstance(error, TransportError) and error.status_code in REFUSED_STATUSES:
        return StoreFailedError("The index refused.")
    if isinstance(error, OpenSearchConnectionError | TransportError):
        return SearchUnavailableError(
            "The index is busy, not there yet, or did not answer in time."
        )
    return StoreFailedError("The index answered what cannot be read.")
