"""The fences that every other test relies on."""

import os
import socket

import pytest
import pytest_socket


def test_a_unit_test_cannot_open_a_socket():
    with (
        pytest.warns(UserWarning, match=r"socket\.socket"),
        pytest.raises(pytest_socket.SocketBlockedError),
    ):
        socket.socket(socket.AF_INET)


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1"])
def test_no_test_can_reach_another_machine(host):
    pytest_socket.enable_socket()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET

    with (
        socket.socket(family) as connection,
        pytest.warns(UserWarning, match=r"socket\.connect"),
        pytest.raises(pytest_socket.SocketConnectBlockedError),
    ):
        connection.connect((host, 80))


def test_no_test_sees_the_shells_settings():
    ours = [name for name in os.environ if name.startswith(("AWS_", "POWERTOOLS_"))]

    assert ours == []
