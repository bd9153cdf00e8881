import pytest
from opensearchpy import exceptions
from palimpsest.adapters.opensearch.errors import (
    REFUSED_STATUSES,
    TRANSIENT_STATUSES,
    index_errors,
    is_transient,
)
from palimpsest.domain.errors import SearchUnavailableError, StoreFailedError

SECRET = "Ana plays chess"


def errors_of_the_library() -> list[type[exceptions.OpenSearchException]]:
    found = [exceptions.OpenSearchException]
    for kind in found:
        found += kind.__subclasses__()
    return found


@pytest.mark.parametrize("kind", errors_of_the_library(), ids=lambda kind: kind.__name__)
def test_every_error_of_the_library_becomes_one_of_ours_and_quotes_nothing(
    kind: type[exceptions.OpenSearchException],
) -> None:
    with pytest.raises((SearchUnavailableError, StoreFailedError)) as caught, index_errors():
        raise kind(429, SECRET, {})

    assert SECRET not in str(caught.value)
    assert isinstance(caught.value.__cause__, kind)


@pytest.mark.parametrize("status", sorted(REFUSED_STATUSES))
def test_a_refusal_is_not_tried_again(status: int) -> None:
    error = exceptions.TransportError(status, "refused", {})

    with pytest.raises(StoreFailedError), index_errors():
        raise error

    assert not is_transient(error)


@pytest.mark.parametrize("status", sorted(TRANSIENT_STATUSES))
def test_a_busy_index_is_tried_again_and_then_unavailable(status: int) -> None:
    error = exceptions.TransportError(status, "busy", {})

    with pytest.raises(SearchUnavailableError), index_errors():
        raise error

    assert is_transient(error)


def test_an_index_that_is_not_there_yet_is_unavailable() -> None:
    with pytest.raises(SearchUnavailableError), index_errors():
        raise exceptions.NotFoundError(404, "index_not_found_exception", {})


def test_silence_is_tried_again() -> None:
    assert is_transient(exceptions.ConnectionTimeout("TIMEOUT", "", Exception()))
    assert is_transient(exceptions.ConnectionError("N/A", "", Exception()))
