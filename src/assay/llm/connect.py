"""One door: a model's spelling and the settings in, a model with cache, meter, patience and limits out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from assay.config import Config, ModelOptions
from assay.errors import AssayError, offer
from assay.llm.budget import Budget, Ledger, Metered
from assay.llm.cache import Cached, Memory
from assay.llm.json_schema import check_schema
from assay.llm.prices import FREE, Price, price_of, unknown_price
from assay.llm.protocol import PROVIDERS, ChatReply, ChatRequest, Checkable, Context, JsonSchema, Message, Provider
from assay.llm.rate import Limiter, Places
from assay.llm.recording import Recording, write_recording
from assay.llm.retry import Patience, Retrying, Timed
from assay.llm.store import FILE_NAME, ReplyStore


class Spelling(Struct, frozen=True):
    """`provider/model`, and the settings that belong to it."""

    provider: str
    model: str
    options: ModelOptions

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


def resolve(name: str, models: Mapping[str, ModelOptions]) -> Spelling:
    """A `provider/model`, or a name of the user's own from `llm.models`."""
    options = models.get(name, ModelOptions())
    spelled = options.model or name
    provider, slash, model = spelled.partition("/")
    if not slash or not provider or not model:
        raise AssayError(
            f"'{spelled}' is not a model",
            expected="provider/model, such as openai/gpt-5-mini",
            hint=offer(spelled, [*models, *(f"{known}/…" for known in PROVIDERS.names())]),
        )
    return Spelling(provider, model, options)


class Model:
    """A connected model: `complete` for requests, `request` to make one from the settings, and what it did."""

    def __init__(self, spelling: Spelling, provider: Provider, price: Price | None, workers: int) -> None:
        self.spelling, self.provider, self.price = spelling, provider, price
        self.ledger = Ledger(price)
        self.warnings = () if price is not None else (unknown_price(str(spelling)),)
        self.places = Places(workers, adaptive=spelling.options.adaptive)
        self._cached: Cached | None = None

    def set_up(self, memory: Memory, budget: Budget, seed: int) -> None:
        options, name = self.spelling.options, str(self.spelling)
        self.limiter = Limiter(self.places, options.requests_per_minute, options.tokens_per_minute)
        patience = Patience(tries=options.tries, first_wait=options.first_wait, seed=seed)
        metered = Metered(Timed(self.provider, options.timeout), self.ledger, budget, name)
        retrying = Retrying(metered, patience, self.limiter, name)
        self._cached = Cached(retrying, memory, self.spelling.provider, self.provider.identity)

    async def complete(self, request: ChatRequest) -> ChatReply:
        assert self._cached is not None
        reply = await self._cached.complete(request)
        self.ledger.gave(reply)
        return reply

    def request(self, messages: tuple[Message, ...], **given: Any) -> ChatRequest:
        """A request with the parameters of the settings; those given here come first."""
        options = self.spelling.options
        settings = {
            "temperature": options.temperature,
            "max_tokens": options.max_tokens,
            "seed": options.seed,
            "reasoning_effort": options.reasoning_effort,
            "extra": options.extra,
        }
        schema = given.get("json_schema")
        if isinstance(schema, JsonSchema):
            check_schema(schema.schema)
        return ChatRequest(model=self.spelling.model, messages=messages, **settings | given)


class Connections:
    """All models of a run: one cache, one budget, one set of places for each model."""

    def __init__(self, config: Config, budget: Budget | None = None, *, noted: bool = False) -> None:
        llm = config.llm
        self._config = config
        self.budget = budget or Budget(llm.max_cost, llm.max_seconds)
        self.memory = replace(_memory(config), used=set() if noted else None)
        self._models: dict[str, Model] = {}
        self.notes: list[str] = []
        """Warnings of whoever brings replies in."""

    def model(self, name: str) -> Model:
        """The model of that spelling or name; the same one each time."""
        if name not in self._models:
            spelling = resolve(name, self._config.llm.models)
            context = Context(model=spelling.model, options=spelling.options, root=Path(self._config.root))
            provider = PROVIDERS.get(spelling.provider)(context)
            price = _price(spelling, provider, self._config)
            model = Model(spelling, provider, price, spelling.options.workers or _workers(self._config))
            model.set_up(self.memory, self.budget, self._config.seed)
            self._models[name] = model
        return self._models[name]

    def require_callable(self) -> None:
        """A model that nobody can call is told before another one is paid. If replies of it are known, perhaps no other
        is needed: then it is told when one is."""
        if self.memory.mode == "replay":
            return
        for model in self._models.values():
            if not isinstance(model.provider, Checkable):
                continue
            try:
                model.provider.check()
            except AssayError:
                if not self.memory.knows(model.spelling.provider, model.provider.identity, model.spelling.model):
                    raise

    @property
    def warnings(self) -> list[str]:
        return [*self.notes, *(warning for model in self._models.values() for warning in model.warnings)]

    def export(self, path: Path) -> int:
        """A recording of exactly the replies that were used: commit it, and the run can be replayed anywhere.

        They must have been `noted` from the start.
        """
        assert self.memory.used is not None
        wanted = self.memory.used
        found = {}
        for place in (self.memory.store, self.memory.recording):
            entries = place.entries() if isinstance(place, Recording) else place.entries(wanted) if place else ()
            found.update({entry.address: entry for entry in entries if entry.address in wanted})
        return write_recording(path, found.values())

    async def close(self) -> None:
        try:
            for model in self._models.values():
                await model.provider.close()
        finally:
            if self.memory.store is not None:
                self.memory.store.close()


@asynccontextmanager
async def connect(config: Config, budget: Budget | None = None, *, noted: bool = False) -> AsyncIterator[Connections]:
    """The models of a run, closed at its end. Which replies are used is `noted` for a recording of them.

    >>> async with connect(config) as models:                                       # doctest: +SKIP
    ...     model = models.model("openai/gpt-5-mini")
    ...     reply = await model.complete(model.request((Message("user", "Hello"),)))
    """
    connections = Connections(config, budget, noted=noted)
    try:
        yield connections
    finally:
        await connections.close()


def _memory(config: Config) -> Memory:
    """Replaying reads what is there and makes no file. With a recording it needs nothing else."""
    llm = config.llm
    recording = Path(config.root) / llm.recording if llm.recording else None
    path = config.path("cache") / FILE_NAME
    if llm.cache == "off":
        return Memory(mode="off")
    if llm.cache == "replay":
        if recording is None and not path.exists():
            raise AssayError("there is nothing to replay", where=str(path), hint="Name a file in llm.recording")
        store = ReplyStore(path) if recording is None else None
        return Memory(mode="replay", store=store, recording=Recording(recording) if recording else None)
    found = Recording(recording) if recording and recording.exists() else None
    return Memory(mode="record", store=ReplyStore(path), recording=found)


def _workers(config: Config) -> int:
    """As many calls at once as a command can have under way."""
    return max(config.run.workers, config.extraction.workers)


def _price(spelling: Spelling, provider: Provider, config: Config) -> Price | None:
    price = price_of(str(spelling), config.llm.prices, base_url=spelling.options.base_url)
    return FREE if price is None and provider.free else price
