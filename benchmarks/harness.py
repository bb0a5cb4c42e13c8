"""What stands between a run and its model: our whole stack against bare loops, in one go, on loopback.

    python benchmarks/harness.py                          # 1,000 calls of 50 ms, 50 at once
    python benchmarks/harness.py --at-once 200 --calls 2000
    python benchmarks/harness.py --peers OTHER/bin/python # an interpreter that has the `openai` package

Each contender runs in a process of its own; imports and the making of requests are not timed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

SERVER = Path(__file__).parent.parent / "tests" / "chat_server.py"
PROMPT = "Question {number}. " + "A sentence of the context that was retrieved. " * 60
PEERS = ("openai",)
CONTENDERS = ("aiohttp", "openai", "assay", "assay-again")
Call = Callable[[int], Awaitable[Any]]


class Clock:
    """Wall and CPU seconds of what happens inside."""

    async def time(self, call: Call, calls: int, at_once: int) -> dict[str, float]:
        """Workers that take one call after the other, as a bare loop would."""
        numbers = iter(range(calls))

        async def work() -> None:
            for number in numbers:
                await call(number)

        wall, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(work() for _ in range(at_once)))
        return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


async def bare_aiohttp(url: str, calls: int, at_once: int) -> dict[str, float]:
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def call(number: int) -> None:
            body = {"model": "x", "messages": [{"role": "user", "content": PROMPT.format(number=number)}]}
            async with session.post(f"{url}/chat/completions", json=body) as response:
                assert (await response.json())["choices"][0]["message"]["content"] == "42"

        return await Clock().time(call, calls, at_once)


async def bare_openai(url: str, calls: int, at_once: int) -> dict[str, float]:
    import openai

    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)

    async def call(number: int) -> None:
        messages = [{"role": "user", "content": PROMPT.format(number=number)}]
        reply = await client.chat.completions.create(model="x", messages=messages)
        assert reply.choices[0].message.content == "42"

    await client.models.with_raw_response.list()  # types are built at the first call
    return await Clock().time(call, calls, at_once)


async def with_assay(url: str, calls: int, at_once: int, folder: str) -> dict[str, float]:
    import aiohttp  # noqa: F401 (imports are not timed)

    from assay.config import Config, LlmOptions, ModelOptions, Prices
    from assay.llm import Message, connect

    options = ModelOptions(model="openai/x", base_url=url, workers=at_once)
    llm = LlmOptions(models={"m": options}, prices={"x": Prices(input=0.1, output=0.4)})
    async with connect(Config(root=folder, llm=llm)) as models:
        model = models.model("m")

        async def call(number: int) -> None:
            messages = (Message("user", PROMPT.format(number=number)),)
            reply = await model.complete(model.request(messages, label=f"q{number}"))
            assert reply.text == "42"

        return await Clock().time(call, calls, at_once)


def contend(name: str, arguments: argparse.Namespace) -> None:
    given = (arguments.url, arguments.calls, arguments.at_once)
    run = {"aiohttp": bare_aiohttp, "openai": bare_openai}.get(name)
    found = asyncio.run(run(*given) if run else with_assay(*given, arguments.folder))
    print(json.dumps(found))


def measure(name: str, arguments: argparse.Namespace, url: str, folder: str) -> dict[str, float] | None:
    """The median of the repeats; None where the package is not installed."""
    python = arguments.peers if name in PEERS else sys.executable
    found: list[dict[str, float]] = []
    for repeat in range(arguments.repeats):
        place = f"{folder}/0" if name == "assay-again" else f"{folder}/{repeat}"
        command = [python, __file__, "--contender", name, "--url", url, "--folder", place]
        command += ["--calls", str(arguments.calls), "--at-once", str(arguments.at_once)]
        result = subprocess.run(command, capture_output=True, text=True)
        if "ModuleNotFoundError" in result.stderr:
            return None
        if result.returncode:
            sys.exit(result.stderr)
        found.append(json.loads(result.stdout))
    return sorted(found, key=lambda each: each["wall"])[len(found) // 2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--latency", type=float, default=0.05, help="seconds of a call")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peers", default=sys.executable, help="interpreter for the bare OpenAI SDK loop")
    for hidden in ("--contender", "--url", "--folder"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.contender:
        contend(arguments.contender, arguments)
        return
    ideal = arguments.calls * arguments.latency / arguments.at_once
    print(
        f"{arguments.calls} calls of {arguments.latency * 1000:g} ms, {arguments.at_once} at once: ideal {ideal:.2f} s"
    )
    command = [sys.executable, str(SERVER), "--latency", str(arguments.latency)]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server,
    ):
        assert server.stdout is not None
        assert server.stdin is not None
        url = f"{server.stdout.readline().strip()}/v1"
        for name in CONTENDERS:
            found = measure(name, arguments, url, folder)
            print(line(name, found, ideal, arguments.calls), flush=True)
        server.stdin.close()


def line(name: str, found: dict[str, float] | None, ideal: float, calls: int) -> str:
    if found is None:
        return f"{name:<12} not installed"
    return (
        f"{name:<12} {found['wall']:6.2f} s  {found['wall'] / ideal:5.2f} × ideal  "
        f"{found['cpu'] / calls * 1000:6.3f} ms CPU a call"
    )


if __name__ == "__main__":
    main()
