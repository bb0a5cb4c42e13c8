"""How many tokens a text is, near enough for a forecast: bytes of UTF-8 divided by 4, rounded up.

Tokenizers differ by model and most cannot be had offline. In English the rule is some 10 % off, in code and in other
languages more; what is charged is always what the service counted, never this.
"""

from __future__ import annotations

from assay.llm.protocol import ChatRequest

_BYTES_A_TOKEN = 4
_TOKENS_A_MESSAGE = 4
"""Role and separators."""


def estimate_tokens(text: str) -> int:
    size = len(text) if text.isascii() else len(text.encode("utf-8", "backslashreplace"))
    return -(-size // _BYTES_A_TOKEN)


def estimate_prompt(request: ChatRequest) -> int:
    return sum(estimate_tokens(message.content) + _TOKENS_A_MESSAGE for message in request.messages)
