"""The server: pages and their JSON twins over HTTP, on loopback alone."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Awaitable, Callable
from urllib.parse import quote, unquote

from aiohttp import web

from assay.errors import AssayError
from assay.files import dump_json
from assay.report.markup import element
from assay.viewer.guard import HEADER, HOST, Guard, answer_headers
from assay.viewer.labels import LIMIT
from assay.viewer.live import all_progress, run_progress
from assay.viewer.marking import mark_answer, mark_gold, next_answer, next_gold
from assay.viewer.places import Places
from assay.viewer.refusal import Refusal
from assay.viewer.routes import VIEWS
from assay.viewer.shell import ASSETS, asset, html
from assay.viewer.visit import Content, Data, Desk, View, Visit

RATER = "assay-rater"
"""The cookie with the name of the one who labels."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_log = logging.getLogger(__name__)


class Server:
    """One viewer."""

    def __init__(self, places: Places) -> None:
        self.desk = Desk(places)
        self.guard = Guard.new(0)
        self._runner: web.AppRunner | None = None

    async def start(self, port: int) -> Guard:
        """Listen; port 0 is any free one. Gives the address and the token."""
        self._runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, HOST, port).start()
        except OSError as fault:
            await self.stop()
            raise _cannot_listen(port, fault) from None
        self.guard = Guard.new(self._runner.addresses[0][1])
        return self.guard

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    def _application(self) -> web.Application:
        application = web.Application(middlewares=[self._answer], client_max_size=LIMIT)
        routes = application.router
        routes.add_get("/", self._home)
        routes.add_get("/assets/{name}", self._asset)
        routes.add_get("/progress.json", self._json(all_progress))
        routes.add_get("/runs/{run}/progress.json", self._json(run_progress))
        routes.add_get("/runs/{run}/next", self._going_on(next_answer))
        routes.add_get("/gold/next", self._going_on(next_gold))
        routes.add_post("/runs/{run}/labels", self._mark(mark_answer))
        routes.add_post("/gold/labels", self._mark(mark_gold))
        for view in VIEWS:
            routes.add_get(f"{view.path}.json", self._json(view.data))
            routes.add_get(view.path, self._page(view))
        return application

    @web.middleware
    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """The host is checked, faults become pages, and every answer has our headers."""
        try:
            self.guard.check_host(request.headers.get("Host"))
            self.guard.check_read(request.headers)
            answer = await handler(request)
        except Refusal as refusal:
            answer = self._refused(request, refusal.status, refusal.what)
        except web.HTTPException as fault:
            answer = self._refused(request, fault.status, fault.reason)
        except AssayError as fault:
            answer = self._refused(request, 409, str(fault))
        except OSError as fault:
            answer = self._refused(request, 409, f"cannot be read: {fault.strerror}")
        except Exception:  # noqa: BLE001 - the last door: the visitor sees one line, the terminal the rest
            _log.exception("a page failed: %s", request.path)
            answer = self._refused(request, 500, "this page failed; the terminal of assay view says more")
        answer.headers.update(answer_headers())
        return answer

    def _refused(self, request: web.Request, status: int, what: str) -> web.Response:
        if request.path.endswith(".json") or request.content_type == "application/json":
            return _json_answer({"error": what, "status": status}, status)
        body = element("p", what, class_="note bad")
        return _html(html(Content(title=f"{status}", subtitle="", body=body), ""), status)

    def _visit(self, request: web.Request) -> Visit:
        return Visit(
            desk=self.desk,
            path=_path(request),
            query=dict(request.query),
            run_name=request.match_info.get("run", ""),
            rater=unquote(request.cookies.get(RATER, ""))[:60],
            may_label=self._has_token(request),
        )

    def _has_token(self, request: web.Request) -> bool:
        return self.guard.is_token(request.cookies.get(self.guard.cookie))

    async def _home(self, request: web.Request) -> web.Response:
        """With token or ticket in the address, the browser is given a cookie that no script can read."""
        answer = web.Response(status=303, headers={"Location": "/runs"})
        query = request.query
        if self.guard.is_token(query.get("token")) or self.guard.ticket.redeem(query.get("ticket")):
            answer.set_cookie(self.guard.cookie, self.guard.token, httponly=True, samesite="Strict", path="/")
        return answer

    async def _asset(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in ASSETS:
            raise Refusal(404, "there is no such page")
        return web.Response(text=asset(name), content_type=ASSETS[name])

    def _json(self, data: Callable[[Visit], Data]) -> Handler:
        async def answer(request: web.Request) -> web.Response:
            visit = self._visit(request)
            return _json_answer(await asyncio.to_thread(data, visit))

        return answer

    def _page(self, view: View) -> Handler:
        def made(visit: Visit) -> str:
            return html(view.show(view.data(visit), visit), visit.path)

        async def answer(request: web.Request) -> web.Response:
            return _html(await asyncio.to_thread(made, self._visit(request)))

        return answer

    def _going_on(self, place: Callable[[Visit], str]) -> Handler:
        async def answer(request: web.Request) -> web.Response:
            return web.Response(status=303, headers={"Location": await asyncio.to_thread(place, self._visit(request))})

        return answer

    def _mark(self, keep: Callable[[Visit, Data], Data]) -> Handler:
        async def answer(request: web.Request) -> web.Response:
            data = await _sent(request)
            given = request.headers.get(HEADER) or data.pop("token", None) or request.cookies.get(self.guard.cookie)
            self.guard.check_write(request.headers, given if isinstance(given, str) else None)
            then = data.pop("then", None)
            kept = await asyncio.to_thread(keep, self._visit(request), data)
            made = _json_answer(kept) if request.content_type == "application/json" else _back(then)
            made.set_cookie(RATER, quote(str(kept["rater"])), samesite="Strict", path="/", max_age=31_536_000)
            return made

        return answer


def _path(request: web.Request) -> str:
    """As it was asked for, still encoded, without what makes it a JSON twin."""
    return request.rel_url.raw_path.removesuffix(".json")


async def _sent(request: web.Request) -> Data:
    """A form or a JSON object, of limited size."""
    if request.content_type == "application/json":
        try:
            data = await request.json()
        except ValueError:
            raise Refusal(400, "not JSON") from None
        if not isinstance(data, dict):
            raise Refusal(400, "not a JSON object")
        return data
    if request.content_type == "application/x-www-form-urlencoded":
        return dict(await request.post())
    raise Refusal(415, "expected a form or JSON")


def _back(then: object) -> web.Response:
    """To a page of ours, and nowhere else."""
    ours = isinstance(then, str) and then.startswith("/") and not then.startswith(("//", "/\\")) and then.isprintable()
    place = str(then) if ours else "/runs"  # a browser drops tabs and line ends: with one inside, "/" "/" may meet
    return web.Response(status=303, headers={"Location": place})


def _json_answer(data: Data, status: int = 200) -> web.Response:
    """Half a surrogate pair becomes its escape, which in JSON is the same string."""
    body = dump_json(data).encode("utf-8", "backslashreplace")
    return web.Response(body=body, status=status, content_type="application/json", charset="utf-8")


def _html(text: str, status: int = 200) -> web.Response:
    return web.Response(body=text.encode("utf-8", "replace"), status=status, content_type="text/html", charset="utf-8")


def _cannot_listen(port: int, fault: OSError) -> AssayError:
    if fault.errno == errno.EADDRINUSE:
        return AssayError(f"port {port} is in use", hint="Take another one with --port, or any free one with --port 0")
    return AssayError(f"cannot listen on port {port}: {fault.strerror}", hint="Take another one with --port")
