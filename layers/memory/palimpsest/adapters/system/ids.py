"""Ids and secrets from the machine."""

import secrets

import uuid_utils


class SystemIds:
    """Makes UUIDv7 and random bytes. See ``palimpsest.ports.ids.Ids``."""

    def new_id(self) -> str:
        """See ``Ids.new_id``.

        ``uuid_utils`` keeps one counter for the process (RFC 9562 §6.2, method 1), so that ids rise within a millisecond and
        across threads, and while the clock stands or steps back.
        """
        return str(uuid_utils.uuid7())

    def new_secret(self, size: int) -> bytes:
        """See ``Ids.new_secret``."""
        return secrets.token_bytes(size)
