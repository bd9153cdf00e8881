"""What every key list promises: the fake, a file, and Secrets Manager."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import boto3
import pytest
from moto import mock_aws
from palimpsest.adapters.secrets.files import FileKeyLists
from palimpsest.adapters.secrets.secrets_manager import SecretsManagerKeyLists
from palimpsest.domain.errors import StoreFailedError, StoreUnavailableError
from palimpsest.domain.sealing_keys import sealing_key
from palimpsest.ports.key_lists import KeyLists

from tests.fakes.clock import FakeClock
from tests.fakes.key_lists import FIRST_SECRET, SECOND_SECRET, FakeKeyLists


@dataclass
class World:
    """A key list, and what a test may do to what lies behind it."""

    key_lists: KeyLists
    write: Callable[[tuple[str, ...]], None]
    take_away: Callable[[], None]
    clock: FakeClock

    def wait_for_rotation(self) -> None:
        self.clock.advance(timedelta(minutes=5))


def fake_world() -> World:
    key_lists = FakeKeyLists(secrets=())

    def write(secrets: tuple[str, ...]) -> None:
        key_lists.secrets, key_lists.fault = secrets, None

    def take_away() -> None:
        key_lists.fault = StoreUnavailableError("Taken away.")

    return World(key_lists, write, take_away, FakeClock())


def file_world(path: Path) -> World:
    clock = FakeClock()
    return World(
        FileKeyLists(path, clock),
        lambda secrets: _ignore(path.write_text(json.dumps({"keys": secrets}))),
        lambda: path.unlink(missing_ok=True),
        clock,
    )


def secrets_manager_world() -> World:
    clock = FakeClock()
    client = boto3.client(
        "secretsmanager",
        region_name="eu-central-1",
        aws_access_key_id="invented",
        aws_secret_access_key="invented",
    )
    name = client.create_secret(Name="cursor-keys", SecretString="{}")["ARN"]

    def take_away() -> None:
        client.delete_secret(SecretId=name)

    return World(
        SecretsManagerKeyLists(client, name, clock),
        lambda secrets: _ignore(
            client.put_secret_value(SecretId=name, SecretString=json.dumps({"keys": secrets}))
        ),
        take_away,
        clock,
    )


def _ignore(_: object) -> None:
    return None


@pytest.fixture(params=["fake", "file", "secrets manager"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    if request.param == "fake":
        yield fake_world()
    elif request.param == "file":
        yield file_world(tmp_path / "keys.json")
    else:
        with mock_aws():
            yield secrets_manager_world()


def test_keys_come_in_the_order_of_the_list(world: World):
    world.write((SECOND_SECRET, FIRST_SECRET))

    keys = world.key_lists.list_keys()

    assert keys == (sealing_key(SECOND_SECRET), sealing_key(FIRST_SECRET))


def test_a_rotated_list_is_seen_after_five_minutes(world: World):
    world.write((FIRST_SECRET,))
    world.key_lists.list_keys()

    world.write((FIRST_SECRET, SECOND_SECRET))
    world.wait_for_rotation()

    assert world.key_lists.list_keys() == (sealing_key(FIRST_SECRET), sealing_key(SECOND_SECRET))


def test_the_last_known_list_is_used_while_it_cannot_be_read_again(world: World):
    world.write((FIRST_SECRET,))
    world.key_lists.list_keys()

    world.take_away()
    world.wait_for_rotation()

    assert world.key_lists.list_keys() == (sealing_key(FIRST_SECRET),)


def test_a_list_that_was_never_read_and_cannot_be_read_is_an_error(world: World):
    world.take_away()

    with pytest.raises((StoreUnavailableError, StoreFailedError)):
        world.key_lists.list_keys()


def test_no_secret_shows_in_a_representation(world: World):
    world.write((FIRST_SECRET,))

    shown = repr(world.key_lists.list_keys()) + repr(world.key_lists.list_keys()[0])

    assert FIRST_SECRET not in shown
