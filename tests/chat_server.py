"""A real chat service on loopback: it speaks HTTP over a socket, counts what it is asked, and can misbehave.

As a script it serves until its input ends: `python tests/chat_server.py --latency 0.05` prints its URL first.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True)
class Call:
    """What came in."""

    number: int
    path: str
    headers: dict[str, str]
    body: Any

    @property
    def text(self) -> str:
        """The last message of a chat request."""
        return str(self.body["messages"][-1]["content"])


@dataclass(frozen=True)
class Answer:
    """What goes out; `cut` closes the connection in the middle of the body."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: bool = False

    def encode(self) -> bytes:
        data = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        lines = [f"HTTP/1.1 {self.status} X", "Content-Type: application/json", f"Content-Length: {len(data)}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        whole = "\r\n".join(lines).encode() + b"\r\n\r\n" + data
        return whole[: -max(1, len(data) // 2)] if self.cut else whole


Handler = Callable[[Call], Answer]


def chat(text: str, **more: Any) -> dict[str, Any]:
    """A body as OpenAI sends it: 10 prompt and 5 completion tokens unless told otherwise."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "test-model-1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        **more,
    }


def error(status: int, message: str = "no", **more: Any) -> Answer:
    headers = more.pop("headers", {})
    return Answer({"error": {"message": message, **more}}, status=status, headers=headers)


def echo(call: Call) -> Answer:
    return Answer(chat(f"reply to {call.text}"))


class ChatServer:
    """Serves in a thread of its own while the `with` block runs."""

    def __init__(self, handler: Handler = echo):
        self.handler = handler
        self.calls: list[Call] = []
        self.most_at_once = 0
        self.at_once = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.Server | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self.start(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def start(self) -> asyncio.Server:
        self._server = await asyncio.get_running_loop().create_server(lambda: _Connection(self), "127.0.0.1", 0)
        return self._server

    async def _stop(self) -> None:
        assert self._server is not None
        self._server.close()
        await asyncio.sleep(0)


class _Connection(asyncio.Protocol):
    def __init__(self, server: ChatServer):
        self.server = server
        self.data = b""
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.data += data
        head, separator, rest = self.data.partition(b"\r\n\r\n")
        if not separator:
            return
        first, *lines = head.decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return
        self.data = rest[length:]
        body = json.loads(rest[:length]) if length else None
        self.answer(Call(len(self.server.calls), first.split(" ")[1], headers, body))

    def answer(self, call: Call) -> None:
        server = self.server
        server.calls.append(call)
        answer = server.handler(call)
        server.at_once += 1
        server.most_at_once = max(server.most_at_once, server.at_once)
        asyncio.get_running_loop().call_later(answer.delay, self.send, answer)

    def send(self, answer: Answer) -> None:
        self.server.at_once -= 1
        assert self.transport is not None
        if not self.transport.is_closing():
            self.transport.write(answer.encode())
            if answer.cut:
                self.transport.close()


async def _serve(latency: float) -> None:
    """Nothing is kept, so that a long benchmark does not grow. Whoever asks for JSON gets a judgment."""
    grades = dict.fromkeys(("correctness", "completeness", "faithfulness", "relevance", "clarity", "overall_score"), 4)
    reply, judgment = chat("42"), chat(json.dumps({"reason": "fits", "behaviour": "answered", **grades}))

    def handler(call: Call) -> Answer:
        server.calls.clear()
        return Answer(judgment if "response_format" in (call.body or ()) else reply, delay=latency)

    server = ChatServer(handler)
    await server.start()
    print(server.url, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.05)
    asyncio.run(_serve(parser.parse_args().latency))
