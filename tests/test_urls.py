"""Addresses of services and what their answers ask for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from assay.urls import asked_wait, is_loopback, proxy_for, shown_url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://u:p@host:8/v1?key=k#f", "https://host:8/v1"),
        ("http://host", "http://host"),
        ("http://host:99999/x", "the URL"),
        ("host/path", "host/path"),
        ("", ""),
    ],
)
def test_nothing_secret_is_shown(url: str, shown: str) -> None:
    assert shown_url(url) == shown


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:1/x", True),
        ("http://localhost", True),
        ("http://[::1]:8/", True),
        ("http://127.elsewhere.example", False),
        ("http://example.org", False),
        ("http://[", False),
    ],
)
def test_loopback(url: str, here: bool) -> None:
    assert is_loopback(url) is here


def test_the_proxy_is_for_the_world_and_not_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert proxy_for("https://api.example/v1") == "http://proxy:3128"
    assert proxy_for("https://inside.example/v1") is None
    assert proxy_for("https://127.0.0.1/v1") is None


@pytest.mark.parametrize(
    ("value", "wait"), [(None, None), ("", None), ("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("soon", None)]
)
def test_seconds_asked_for(value: str | None, wait: float | None) -> None:
    assert asked_wait(value) == wait


def test_a_date_asked_for() -> None:
    moment = datetime.now(UTC) + timedelta(seconds=30)
    wait = asked_wait(format_datetime(moment, usegmt=True))
    assert wait is not None
    assert 25 < wait <= 31
    assert asked_wait(format_datetime(moment - timedelta(hours=1), usegmt=True)) == 0.0
