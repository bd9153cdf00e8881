import pytest
import pytest_socket


@pytest.fixture(autouse=True)
def no_sockets() -> None:
    """Unit tests touch nothing. Unix sockets stay: an event loop wakes itself through a pair of them."""
    pytest_socket.disable_socket(allow_unix_socket=True)
