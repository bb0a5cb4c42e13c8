"""Which values of the environment are secrets."""

from __future__ import annotations

import pytest

from assay.systems.secrets import environment_secrets, without_secrets


@pytest.mark.parametrize(
    ("name", "value", "named", "secret"),
    [
        ("OUR_API_KEY", "sk-12345", False, True),
        ("OUR_API_KEY", "sk-1234", False, False),  # seven characters stand in a message by chance
        ("OUR_API_KEY", "password", False, False),  # a word, and nobody said that it is a key
        ("OUR_API_KEY", "password", True, True),
        ("OUR_API_KEY", "abcdefghijklmno", False, False),
        ("OUR_API_KEY", "abcdefghijklmnop", False, True),  # sixteen letters are no word
        ("OUR_PLACE", "sk-12345", False, False),
        ("OUR_PLACE", "sk-12345", True, True),
    ],
)
def test_what_is_a_secret(name: str, value: str, named: bool, secret: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, f" {value}\n")
    assert (value in environment_secrets(name if named else None)) is secret


def test_a_longer_secret_is_struck_out_before_one_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_TOKEN", "12345678")
    assert without_secrets("key 123456789 and 12345678", "123456789") == "key *** and ***"
