"""A real HTTP server on loopback that answers as a test tells it: late, busy, broken, cut off, or well."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from msgspec import Struct


class Call(Struct, frozen=True):
    """What the server was asked."""

    path: str
    headers: Mapping[str, str]
    body: Any
    number: int
    """Counted from 1 over all calls of the server."""


class Reply(Struct, frozen=True, kw_only=True):
    """What it answers. A body of bytes is sent as it is, anything else as JSON."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = {}
    delay: float = 0.0
    cut: bool = False
    """Ends the connection in the middle of the body."""


Handler = Callable[[Call], Reply]


def in_turn(*replies: Reply, then: Handler) -> Handler:
    """The given replies to the first calls, one each, then what the handler says."""
    left = list(replies)
    lock = threading.Lock()

    def handle(call: Call) -> Reply:
        with lock:
            reply = left.pop(0) if left else None
        return reply or then(call)

    return handle


def routes(**handlers: Handler) -> Handler:
    """A handler for each last part of the path: `routes(embeddings=..., completions=...)`."""

    def handle(call: Call) -> Reply:
        handler = handlers.get(call.path.rstrip("/").rsplit("/", 1)[-1])
        return handler(call) if handler else Reply(status=404, body={"error": "no such path"})

    return handle


def embeddings(dim: int = 8, delay: float = 0.0) -> Handler:
    """OpenAI's `/embeddings`: the same text always gets the same vector. Listed backwards, as the protocol allows."""

    def handle(call: Call) -> Reply:
        texts: list[str] = call.body["input"]
        data = [{"object": "embedding", "index": n, "embedding": vector(text, dim)} for n, text in enumerate(texts)]
        usage = sum(len(text.split()) for text in texts)
        body = {"data": data[::-1], "model": call.body["model"], "usage": {"total_tokens": usage}}
        return Reply(body=body, delay=delay)

    return handle


def vector(text: str, dim: int) -> list[float]:
    digest = hashlib.shake_256(text.encode()).digest(dim)
    return [byte - 127.5 for byte in digest]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    """Many clients may knock at once; one that is not let in comes back only after a second."""


class FakeServer:
    """`with FakeServer(handler) as server: ... server.url ... server.calls`"""

    def __init__(self, handler: Handler):
        self.handler = handler
        self.calls: list[Call] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self._request_class())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, path: str, headers: Mapping[str, str], body: Any) -> Reply:
        with self._lock:
            call = Call(path, headers, body, len(self.calls) + 1)
            self.calls.append(call)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        reply = self.handler(call)
        time.sleep(reply.delay)
        with self._lock:
            self._at_once -= 1
        return reply

    def _request_class(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Request(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                text = self.rfile.read(int(self.headers["Content-Length"]))
                reply = server.answer(self.path, dict(self.headers), json.loads(text))
                data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                try:
                    self._send(reply, data)
                except OSError:
                    self.close_connection = True  # the client did not wait

            def _send(self, reply: Reply, data: bytes) -> None:
                self.send_response(reply.status)
                self.send_header("Content-Length", str(len(data) + (100 if reply.cut else 0)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)
                self.close_connection = self.close_connection or reply.cut

            def log_message(self, *_: object) -> None:
                pass

        return Request
