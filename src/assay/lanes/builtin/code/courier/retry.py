"""When a message that could not be delivered is sent again."""

from __future__ import annotations

from collections.abc import Callable

MAX_ATTEMPTS = 6
"""After this many tries a message goes to the dead letters."""


class DeliveryError(Exception):
    """The receiver did not take the message."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(f"delivery failed with status {status}")


def compute_retry_delay(attempt: int, jitter: float = 0.0) -> float:
    """Seconds to wait before the next try: exponential backoff, doubled each time, at most a minute."""
    return min(60.0, 0.5 * 2.0**attempt) * (1 + jitter)


def is_retryable(error: DeliveryError) -> bool:
    """Throttling and faults of the server may pass; a refused message will be refused again."""
    return error.status == 429 or error.status >= 500


class Courier:
    """Carries messages to their receivers."""

    def __init__(self, send: Callable[[bytes], None], sleep: Callable[[float], None]) -> None:
        self._send, self._sleep = send, sleep
        self.dead_letters: list[bytes] = []

    def deliver(self, message: bytes) -> bool:
        """Try until the receiver takes the message or gives up on it; True when it was taken."""
        for attempt in range(MAX_ATTEMPTS):
            try:
                self._send(message)
            except DeliveryError as error:
                if not is_retryable(error):
                    break
                self._sleep(compute_retry_delay(attempt))
            else:
                return True
        self.dead_letters.append(message)
        return False
