import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from palimpsest.adapters.sealing.derivation import derive
from palimpsest.domain.sealing_keys import SealingKey


@pytest.mark.parametrize("secret", [b"x" * 32, b"", bytes(range(256))])
@pytest.mark.parametrize("purpose", [b"", b"palimpsest cursor v1"])
def test_a_derived_key_is_hkdfs(secret, purpose):
    wanted = HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(secret)

    assert derive(SealingKey(id="k", secret=secret), purpose=purpose) == wanted
