"""What calls cost: by hand, by the users' table, by the library, never by a guess; and when to stop."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, ChatServer, chat
from hypothesis import given
from hypothesis import strategies as st
from llm_settings import ask, settings, user

from assay.config import Prices, parse
from assay.errors import AssayError
from assay.llm import (
    Budget,
    BudgetSpent,
    ChatReply,
    ChatRequest,
    Cost,
    Price,
    Usage,
    connect,
    cost,
    estimate,
    estimate_tokens,
    price_of,
)
from assay.llm.prices import Tier

USERS_TABLE = {
    "gemini-2.5-flash": Prices(input=0.075, output=0.30, thinking=0.30, cached=0.01875),
    "gemini-3-flash-preview": Prices(input=0.10, output=0.40, thinking=0.40, cached=0.025),
    "gemini-2.0-flash": Prices(input=0.075, output=0.30, thinking=0.0, cached=0.01875),
}
MILLION = 1_000_000


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        # 600k new at 0.075, 100k out and 200k thinking at 0.30, 400k cached at 0.01875
        ("gemini-2.5-flash", Cost(input=0.045, output=0.03, thinking=0.06, cached=0.0075)),
        ("gemini-3-flash-preview", Cost(input=0.06, output=0.04, thinking=0.08, cached=0.01)),
        ("gemini-2.0-flash", Cost(input=0.045, output=0.03, thinking=0.0, cached=0.0075)),
    ],
)
def test_the_users_table_comes_before_the_library(model: str, expected: Cost) -> None:
    usage = Usage(prompt=MILLION, cached=400_000, completion=100_000, thinking=200_000)
    price = price_of(f"gemini/{model}", USERS_TABLE)
    assert price is not None
    found = cost(usage, price)
    for kind in ("input", "output", "thinking", "cached", "total"):
        assert getattr(found, kind) == pytest.approx(getattr(expected, kind))
    assert price_of(f"openai/{model}", {f"openai/{model}": Prices(input=1, output=2)}) == Price(input=1, output=2)


def test_the_users_table_in_assay_yaml() -> None:
    text = """
llm:
  max_cost: 2.5
  prices:
    gemini-2.5-flash: {input: 0.075, output: 0.30, thinking: 0.30, cached: 0.01875}
    gemini-3-flash-preview: {input: 0.10, output: 0.40, thinking: 0.40, cached: 0.025}
    gemini-2.0-flash: {input: 0.075, output: 0.30, thinking: 0, cached: 0.01875}
"""
    found = parse(text, "assay.yaml").llm
    assert found.prices == USERS_TABLE
    assert found.max_cost == 2.5
    with pytest.raises(AssayError, match=r"assay\.yaml:4: .*input"):
        parse("llm:\n  prices:\n    x:\n      input: -1\n      output: 1", "assay.yaml")


def test_thinking_is_output_and_cached_is_input_unless_priced() -> None:
    price = Price(input=1.0, output=4.0)
    usage = Usage(prompt=MILLION, cached=MILLION // 2, completion=MILLION, thinking=MILLION)
    assert cost(usage, price) == Cost(input=0.5, cached=0.5, output=4.0, thinking=4.0)


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.floats(0, 10), st.floats(0, 10))
def test_a_cheaper_cache_never_costs_more(prompt: int, cached: int, full: float, discount: float) -> None:
    with_cache = cost(Usage(prompt=prompt, cached=cached), Price(input=full, output=0, cached=min(full, discount)))
    without = cost(Usage(prompt=prompt), Price(input=full, output=0))
    assert 0 <= with_cache.total <= without.total + 1e-9


def test_the_price_of_a_long_prompt_holds_for_the_whole_call() -> None:
    price = Price(input=1.0, output=2.0, tiers=(Tier(200, Price(input=3.0, output=5.0)),))
    assert cost(Usage(prompt=200, completion=100), price).total == pytest.approx((200 * 1 + 100 * 2) / 1e6)
    assert cost(Usage(prompt=201, completion=100), price).total == pytest.approx((201 * 3 + 100 * 5) / 1e6)


@pytest.mark.parametrize(
    "model", ["openai/gpt-4o", "openai/gpt-5-mini", "gemini/gemini-2.5-flash", "gemini/gemini-2.5-pro"]
)
def test_the_library_and_we_agree(model: str) -> None:
    """Whatever its prices are today, the sum must be the same, short prompts and long ones."""
    from genai_prices import Usage as TheirUsage
    from genai_prices import calc_price

    price = price_of(model, {})
    assert price is not None
    provider, _, name = model.partition("/")
    for prompt in (1_000, 199_999, 200_001, 900_000):
        theirs = calc_price(
            TheirUsage(input_tokens=prompt, cache_read_tokens=prompt // 4, output_tokens=5_000),
            name,
            provider_id="google" if provider == "gemini" else provider,
        )
        ours = cost(Usage(prompt=prompt, cached=prompt // 4, completion=4_000, thinking=1_000), price)
        assert ours.total == pytest.approx(float(theirs.total_price))


def test_a_batch_is_cheaper() -> None:
    live, batch = price_of("openai/gpt-4o", {}), price_of("openai/gpt-4o", {}, batch=True)
    assert live is not None
    assert batch is not None
    assert batch.input == live.input / 2


@pytest.mark.parametrize(
    ("model", "base_url"),
    [
        ("openai/no-such-model", None),
        ("openai/gpt-4o", "http://127.0.0.1:8000/v1"),
        ("third-party/gpt-4o", None),
    ],
)
def test_an_unknown_price_is_none(model: str, base_url: str | None) -> None:
    assert price_of(model, {}, base_url=base_url) is None


def test_a_known_service_behind_the_compatible_endpoint_has_its_price() -> None:
    url = "https://generativelanguage.googleapis.com/v1beta/openai"
    assert price_of("openai/gemini-2.5-flash", {}, base_url=url) == price_of("gemini/gemini-2.5-flash", {})


def at(server: ChatServer, **more: Any) -> dict[str, Any]:
    return {"base_url": f"{server.url}/v1", **more}


PRICES = {"test": Prices(input=100.0, output=1000.0)}
"""10 prompt and 5 completion tokens: 0.001 + 0.005 = 0.006 a call."""


def test_what_the_cache_gives_again_is_not_spent_again(tmp_path: Path) -> None:
    with ChatServer() as server:
        config = settings(tmp_path, at(server), prices=PRICES)
        _, first = ask(config, ["a", "b"])
        _, second = ask(config, ["a", "b", "c"])
    assert [total(first.ledger.spent), first.ledger.usage.prompt] == pytest.approx([0.012, 20])
    assert [total(second.ledger.spent), second.ledger.usage.prompt] == pytest.approx([0.006, 30])
    assert first.warnings == ()


def total(found: Cost | None) -> float:
    assert found is not None
    return found.total


def test_without_a_price_there_is_no_cost_but_a_warning(tmp_path: Path) -> None:
    with ChatServer() as server:
        _, model = ask(settings(tmp_path, at(server)), ["a"])
    assert model.ledger.spent is None
    assert model.warnings == (
        "no price is known for openai/test: its cost is not counted. Give it in assay.yaml under llm.prices",
    )


def test_a_service_that_counts_nothing_is_told(tmp_path: Path) -> None:
    with ChatServer(lambda _call: Answer(chat("x", usage=None))) as server:
        _, model = ask(settings(tmp_path, at(server), prices=PRICES), ["a"])
    assert (model.ledger.without_usage, total(model.ledger.spent)) == (1, 0.0)


def test_max_cost_stops_cleanly_and_the_rest_can_follow(tmp_path: Path) -> None:
    """0.006 a call, 0.05 allowed: 8 calls. The next run finds them and goes on."""
    texts = [f"q{n}" for n in range(20)]
    with ChatServer() as server:
        config = settings(tmp_path, at(server, workers=1, max_tokens=5), prices=PRICES, max_cost=0.05)
        found, model = ask(config, texts)
        replies = [reply for reply in found if isinstance(reply, ChatReply)]
        stops = [fault for fault in found if isinstance(fault, BudgetSpent)]
        assert len(replies) + len(stops) == 20
        assert len(server.calls) == len(replies) == 8
        assert total(model.ledger.spent) <= 0.05
        assert "of max_cost is left" in str(stops[0])
        assert stops[0].exit_code == 3
        _, model = ask(settings(tmp_path, at(server, max_tokens=5), prices=PRICES), texts)
        assert len(server.calls) == 20
    assert (model.ledger.calls, model.ledger.reused) == (12, 8)


def test_calls_under_way_count(tmp_path: Path) -> None:
    """50 at once do not overrun the limit by 50 calls, because what they will cost is held back."""
    with ChatServer(lambda call: Answer(chat(call.text), delay=0.02)) as server:
        config = settings(tmp_path, at(server, workers=50, max_tokens=5), prices=PRICES, max_cost=0.05)
        _, model = ask(config, [f"q{n}" for n in range(50)])
    assert 0.03 < total(model.ledger.spent) <= 0.055


def test_waiting_for_the_budget_is_not_part_of_a_call(tmp_path: Path) -> None:
    """A call may take 0.5 s and takes 0.3. The first is expected to need nearly all, so the others wait for it:
    0.3 + 0.3 s would be too much. It then turns out to be cheap, and they all fit."""
    with ChatServer(lambda call: Answer(chat(call.text), delay=0.3)) as server:
        model = at(server, workers=9, max_tokens=50, timeout=0.5)
        found, _ = ask(settings(tmp_path, model, prices=PRICES, max_cost=0.06), [f"q{n}" for n in range(5)])
    assert [reply.retry.attempts for reply in found if isinstance(reply, ChatReply)] == [1] * 5


def test_max_cost_without_a_price_is_refused(tmp_path: Path) -> None:
    with ChatServer() as server, pytest.raises(AssayError, match="max_cost cannot be kept: no price is known"):
        ask(settings(tmp_path, at(server), max_cost=1.0), ["a"])


def test_max_seconds(tmp_path: Path) -> None:
    with ChatServer(lambda call: Answer(chat(call.text), delay=0.05)) as server:
        found, _ = ask(settings(tmp_path, at(server, workers=1), max_seconds=0.2), [str(n) for n in range(20)])
    done = sum(isinstance(reply, ChatReply) for reply in found)
    assert 0 < done < 20
    assert all(isinstance(fault, ChatReply | BudgetSpent) for fault in found)


def test_a_cached_reply_needs_no_budget(tmp_path: Path) -> None:
    with ChatServer() as server:
        ask(settings(tmp_path, at(server), prices=PRICES), ["a"])
        found, _ = ask(settings(tmp_path, at(server), prices=PRICES, max_cost=0.0), ["a", "b"])
    assert isinstance(found[0], ChatReply)
    assert isinstance(found[1], BudgetSpent)


def test_budget_by_hand() -> None:
    budget = Budget(max_cost=1.0)
    budget.check(1.0)
    budget.spend(0.7)
    budget.check(0.3)
    with pytest.raises(BudgetSpent):
        budget.check(0.31)
    late = Budget(max_seconds=0.01)
    time.sleep(0.02)
    with pytest.raises(BudgetSpent):
        late.check()
    Budget().check(1e9)


def test_a_call_waits_for_those_that_may_cost_less() -> None:
    """0.6 is held, 0.5 more would be too much; the first then costs only 0.2, and the second may begin."""

    async def run() -> tuple[list[str], float]:
        budget, order = Budget(max_cost=1.0), []

        async def call(name: str, expected: float, paid: float) -> None:
            async with budget.hold(lambda: expected):
                order.append(name)
                await asyncio.sleep(0.2 if name == "c" else 0.01)
                budget.spend(paid)
                order.append(f"{name} done")

        await asyncio.gather(call("a", 0.6, 0.2), call("b", 0.5, 0.5), call("c", 0.3, 0.3))
        with pytest.raises(BudgetSpent):
            await call("d", 0.1, 0.1)
        return order, budget.spent

    order, spent = asyncio.run(run())
    assert order == ["a", "c", "a done", "b", "b done", "c done"]
    assert spent == pytest.approx(1.0)


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("éé", 1), ("漢字", 2)])
def test_tokens_are_bytes_by_four(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_the_estimate_by_hand() -> None:
    """Two requests of 400 bytes: 100 tokens + 4 for the message. Replies of 256 tokens, one cut at 100."""
    requests = [
        ChatRequest(model="x", messages=user("a" * 400)),
        ChatRequest(model="x", messages=user("b" * 400), max_tokens=100),
    ]
    found = estimate(requests, Price(input=1.0, output=10.0))
    assert (found.calls, found.prompt_tokens, found.completion_tokens) == (2, 208, 356)
    assert found.cost == pytest.approx((208 * 1 + 356 * 10) / 1e6)
    assert estimate(requests, None).cost is None


def test_two_models_share_one_budget(tmp_path: Path) -> None:
    async def run(config: Any) -> float:
        async with connect(config) as models:
            for name in ("m", "openai/other"):
                model = models.model(name)
                assert models.model(name) is model
                await model.complete(model.request(user("a")))
            return models.budget.spent

    with ChatServer() as server:
        config = settings(tmp_path, at(server), prices={**PRICES, "other": Prices(input=0, output=2000)})
        config.llm.models["openai/other"] = config.llm.models["m"].__class__(base_url=f"{server.url}/v1")
        assert asyncio.run(run(config)) == pytest.approx(0.006 + 0.010)
