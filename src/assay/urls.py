"""Addresses of services and what their answers ask for."""

from __future__ import annotations

from urllib.parse import urlsplit


def shown_url(url: str) -> str:
    """The URL without what may be secret: user, password, query."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "the URL"
    return f"{parts.scheme}://{host}{port}{parts.path}" if parts.scheme else parts.path


def is_loopback(url: str) -> bool:
    """Whether the service is on this machine."""
    from ipaddress import ip_address

    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def proxy_for(url: str) -> str | None:
    """The proxy of the environment for that URL. It is right for the world and wrong for this machine."""
    from urllib.request import getproxies, proxy_bypass

    if is_loopback(url):
        return None
    parts = urlsplit(url)
    if not parts.hostname or proxy_bypass(parts.hostname):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


def asked_wait(value: str | None) -> float | None:
    """Seconds of a `Retry-After` header, which holds seconds or a date."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
