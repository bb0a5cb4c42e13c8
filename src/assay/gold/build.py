"""All phases in order, each a file in and a file out: stopped anywhere and started again, the set is the same."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.config import Config, LlmOptions
from assay.errors import AssayError, IncompleteRun
from assay.files import write_atomic, write_json
from assay.gold.again import SecondRound, Standing, plan_again
from assay.gold.balance import Choice
from assay.gold.bench import PHASES, Bench, Order, prepared
from assay.gold.candidate import Candidate, LogLine, accepted, encode_lines
from assay.gold.enrich import Checked, Stamp, enrich, ordinals
from assay.gold.evidence import Evidence
from assay.gold.folder import ENRICHED, LOG, REJECTED, SECOND, SELECTION, VALIDATED, VALIDATED_AGAIN, digest
from assay.gold.gates import settle
from assay.gold.generate import Workshop, finished, generate, missing
from assay.gold.gold_file import read_gold_file
from assay.gold.grounds import Grounds
from assay.gold.schema import SCHEMA, parse_gold
from assay.gold.selection import option_of, select
from assay.gold.stratify import Strata
from assay.gold.validate import Verdict, prove_absence, validate
from assay.gold.verify import Verification, verify
from assay.llm import connect
from assay.records import Progress, Step

NO_MODEL = (
    "Set gold.model in assay.yaml (provider/model), or exchange files: `assay gold prompts --out prompts.jsonl`, "
    "let any model, tool or person answer, `assay gold ingest answers.jsonl`, and build again"
)
_AGAIN = (
    "They ask for what the first round left missing. Build again to ask them again, with --partial to do without, "
    "or set gold.ask_again to false and build with --fresh"
)


class Built(Struct, frozen=True, kw_only=True):
    """What a build gave. Without a gold file if it was to stop before."""

    folder: Path
    strata: Strata
    log: tuple[LogLine, ...] = ()
    rejected: tuple[dict[str, Any], ...] = ()
    choice: Choice | None = None
    second: SecondRound | None = None
    """What is missing and can still be asked for."""
    gold: Path | None = None
    verification: Verification | None = None

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know of the corpus and of what is missing."""
        if self.second is None:
            return self.strata.remarks
        missing = self.second.missing
        said = (
            f"{'1 question is' if missing == 1 else f'{missing} questions are'} missing: `assay gold prompts` writes "
            "prompts that ask for what is, "
            "`assay gold ingest` takes the answers, and the next build adds what passes"
        )
        return (*self.strata.remarks, said)

    def as_data(self) -> dict[str, Any]:
        """What a program wants to know of it; the files hold the rest."""
        lines = [line for line in self.log if line.event == "candidate"]
        return {
            "gold": str(self.gold) if self.gold else None,
            "folder": str(self.folder),
            "asked": self.strata.asked,
            "target": self.strata.target,
            "written": len(lines),
            "refused_on_reading": sum(not line.accepted for line in lines),
            "rejected": len(self.rejected),
            "chosen": len(self.choice.chosen) if self.choice else None,
            "targets": msgspec.to_builtins(self.choice.targets) if self.choice else None,
            "remarks": list(self.remarks),
            "verification": self.verification.as_data() if self.verification else None,
        }


def build(order: Order, progress: Progress) -> Built:
    """All phases; and the questions once more for what is missing, where a model can be asked."""
    built, rest = _round(order, progress)
    if built.second is None or not order.config.gold.model:
        return built
    again = msgspec.structs.replace(order, fresh=False, config=msgspec.structs.replace(order.config, llm=rest))
    return _round(again, progress)[0]


def _round(order: Order, progress: Progress) -> tuple[Built, LlmOptions]:
    """What the phases give with the batches that are planned, and what is left of the budget."""
    with prepared(order) as bench:
        progress(Step(PHASES[0], 1, 1))
        built = Built(folder=order.folder, strata=bench.strata)
        if order.until == PHASES[0]:
            return built, order.config.llm
        log, rest = _questions(bench, progress)
        built = msgspec.structs.replace(built, log=tuple(log))
        if order.until == PHASES[1]:
            return built, rest
        return _finish(bench.with_llm(rest), built, progress)


def _finish(bench: Bench, built: Built, progress: Progress) -> tuple[Built, LlmOptions]:
    """Phases 3 to 5: from here on nothing but the proofs of absence is asked of a model."""
    until, grounds = bench.order.until, Grounds(bench.index, bench.order.config)
    candidates = accepted(built.log)
    if not candidates:
        raise AssayError("not one question was written", where=str(bench.folder.file(LOG)), hint="The log says why")
    progress(Step(PHASES[2], 0, len(candidates)))
    verdicts, bench = _validated(bench, candidates, grounds)
    progress(Step(PHASES[2], len(candidates), len(candidates)))
    rejected = _rejected(candidates, verdicts)
    write_json(bench.folder.file(REJECTED), list(rejected))
    if until == PHASES[2]:
        return msgspec.structs.replace(built, rejected=rejected), bench.order.config.llm
    enriched, incomplete = _enriched(bench, candidates, verdicts, grounds)
    if incomplete:
        rejected = (*rejected, *incomplete)
        write_json(bench.folder.file(REJECTED), list(rejected))
    progress(Step(PHASES[3], len(enriched), len(enriched)))
    built = msgspec.structs.replace(built, rejected=rejected)
    if until == PHASES[3]:
        return built, bench.order.config.llm
    choice = _chosen(bench, enriched, grounds)
    built = msgspec.structs.replace(built, choice=choice, second=_second(bench, built.log, enriched, choice))
    if built.second is not None and bench.order.config.gold.model:
        return built, bench.order.config.llm
    if not choice.chosen:
        raise AssayError("no question passed", where=str(bench.folder.file(REJECTED)), hint="It says why")
    _write_gold(bench, enriched, choice)
    _write_log(bench, built, enriched, choice)
    progress(Step(PHASES[4], len(choice.chosen), len(choice.chosen)))
    order = bench.order
    verification = verify(read_gold_file(order.out), bench.index, order.config, order.config.gold.model)
    return msgspec.structs.replace(built, gold=order.out, verification=verification), order.config.llm


# --- phases 1 and 2 ----------------------------------------------------------------------------------------------


def _questions(bench: Bench, progress: Progress) -> tuple[list[LogLine], LlmOptions]:
    """The log, and what is left of the budget."""
    order = bench.order
    shop, name = bench.shop, order.config.gold.model
    if not name and not shop.given and not shop.people:
        raise AssayError("no model is set to write the questions", hint=NO_MODEL)
    needed = {batch.id for batch in (shop.batches if name else bench.first)}
    unanswered = [batch for batch in missing(shop) if batch.id in needed]
    if not name and unanswered and not order.partial:
        raise IncompleteRun(
            f"{len(unanswered)} of {len(needed)} prompts have no readable answer yet",
            where=str(order.folder),
            hint="Write them with `assay gold prompts`, or build with --partial from those that are answered",
        )
    lines, rest = asyncio.run(_generate(order.config, shop, progress))
    done = finished(lines)
    failed = needed - done
    if failed and not order.partial:
        raise IncompleteRun(
            f"{len(failed)} of {len(needed)} batches got no reply; the log says why",
            where=str(shop.log),
            hint=_AGAIN
            if failed <= bench.again
            else "Build again to ask them again, or with --partial to go on without",
        )
    return lines, rest


async def _generate(config: Config, shop: Workshop, progress: Progress) -> tuple[list[LogLine], LlmOptions]:
    name = config.gold.model
    if not name:
        return await generate(shop, progress), config.llm
    async with connect(config) as models:
        lines = await generate(msgspec.structs.replace(shop, model=models.model(name)), progress)
        return lines, models.budget.left_of(config.llm)


# --- phase 3 -----------------------------------------------------------------------------------------------------


def _validated(bench: Bench, candidates: Sequence[Candidate], grounds: Grounds) -> tuple[list[Verdict], Bench]:
    """Each round by itself: what was proved for the first is not asked again for the second. And the bench, with what
    the proofs left of its budget."""
    rounds: dict[str, list[Candidate]] = {VALIDATED: [], VALIDATED_AGAIN: []}
    for candidate in candidates:
        rounds[VALIDATED_AGAIN if candidate.batch in bench.again else VALIDATED].append(candidate)
    found: dict[str, Verdict] = {}
    for file, some in rounds.items():
        verdicts, left = _validated_round(bench, file, some, grounds) if some else ([], bench.order.config.llm)
        bench = bench.with_llm(left)
        found |= {verdict.key: verdict for verdict in verdicts}
    return [found[candidate.key] for candidate in candidates], bench


def _validated_round(
    bench: Bench, file: str, candidates: Sequence[Candidate], grounds: Grounds
) -> tuple[list[Verdict], LlmOptions]:
    config = bench.order.config
    name, left = config.gold.model, config.llm
    made_from = digest([candidates, config.gold.gates, name, bench.index.fingerprint, config.embedder])

    def make() -> dict[str, Any]:
        nonlocal left
        absences = None
        if name:
            proofs = prove_absence(candidates, grounds, config, name)
            absences, left = proofs.absences, proofs.left
        return {"model": name, "verdicts": msgspec.to_builtins(validate(candidates, grounds, config, absences))}

    data = bench.folder.phase(file, made_from, make)
    return bench.folder.typed(file, data.get("verdicts"), list[Verdict]), left


def _rejected(candidates: Sequence[Candidate], verdicts: Sequence[Verdict]) -> tuple[dict[str, Any], ...]:
    return tuple(
        _refusal(candidate, verdict.gate, verdict.reason, verdict.value, verdict.limit)
        for candidate, verdict in zip(candidates, verdicts, strict=True)
        if not verdict.accepted
    )


def _refusal(
    candidate: Candidate, gate: str | None, reason: str | None, value: Any = None, limit: str | None = None
) -> dict[str, Any]:
    refused = {"key": candidate.key, "gate": gate, "reason": reason, "value": value, "limit": limit}
    return refused | {"candidate": msgspec.to_builtins(candidate)}


# --- phase 4 -----------------------------------------------------------------------------------------------------


class Enriched(Struct, frozen=True):
    """A question of the schema, and the candidate it was."""

    key: str
    stratum: str
    question: dict[str, Any]


def _enriched(
    bench: Bench, candidates: Sequence[Candidate], verdicts: Sequence[Verdict], grounds: Grounds
) -> tuple[list[Enriched], list[dict[str, Any]]]:
    """The complete ones, and those that lack a leaf: refused like any other."""
    stamp = Stamp(
        corpus=bench.order.corpus,
        date=bench.folder.date,
        ordinals=ordinals(bench.index.ids, bench.index.sources),
    )
    passed = [(c, v) for c, v in zip(candidates, verdicts, strict=True) if v.accepted]
    chunks = bench.index.chunks(candidate.chunk_id for candidate, _ in passed)

    def make() -> dict[str, Any]:
        made = [Enriched(c.key, c.stratum, enrich(c, chunks[c.chunk_id], _checked(v), stamp)) for c, v in passed]
        return {"questions": msgspec.to_builtins(made)}

    data = bench.folder.phase(ENRICHED, digest([passed, stamp.date, stamp.corpus, bench.index.fingerprint]), make)
    made = bench.folder.typed(ENRICHED, data.get("questions"), list[Enriched])
    faults = _incomplete(made, grounds, bench.order.config)
    refused = [_refusal(c, "G4-1", faults[c.key]) for c, _ in passed if c.key in faults]
    return [each for each in made if each.key not in faults], refused


def _checked(verdict: Verdict) -> Checked:
    return Checked(verdict.method or "unproven", verdict.measured)


def _incomplete(made: Sequence[Enriched], grounds: Grounds, config: Config) -> dict[str, str]:
    """Key → what is missing or incoherent, by the gate that would say so of the file."""
    raws = [each.question for each in made]
    questions = parse_gold({"questions": raws}, "", "enriched questions")
    evidence = Evidence(questions, grounds, raws=raws)
    keys = {each.question["id"]: each.key for each in made}
    return {
        keys[failure.question]: failure.what
        for gate in settle(config.gold.gates, ("G4-1",))
        for failure in gate.check(evidence, gate.limits).failures
        if failure.question
    }


# --- phase 5 -----------------------------------------------------------------------------------------------------


def _chosen(bench: Bench, enriched: Sequence[Enriched], grounds: Grounds) -> Choice:
    config = bench.order.config
    quotas = {stratum.name: stratum.quota for stratum in bench.strata.strata}

    def make() -> dict[str, Any]:
        questions = [(each.stratum, each.question) for each in enriched]
        data: dict[str, Any] = msgspec.to_builtins(select(questions, grounds, config, quotas, bench.strata.target))
        return data

    made_from = digest([[each.question for each in enriched], quotas, config.gold, config.embedder])
    return bench.folder.typed(SELECTION, bench.folder.phase(SELECTION, made_from, make), Choice)


def _second(bench: Bench, log: Sequence[LogLine], enriched: Sequence[Enriched], choice: Choice) -> SecondRound | None:
    """What is missing and can be asked for, after a first round that was answered whole. Written, so that it is."""
    config = bench.order.config
    answered = finished(log)
    if bench.second is not None:
        still = bench.again - answered and len(choice.chosen) < bench.strata.target
        return bench.second if still and not config.gold.model else None
    if not config.gold.ask_again or any(batch.id not in answered for batch in bench.first):
        return None
    good = tuple(option_of(each.stratum, each.question) for each in enriched)
    standing = Standing(strata=bench.strata, good=good, choice=choice)
    plan = plan_again(bench.index, config.gold, config.seed, standing)
    if plan is not None:
        write_json(bench.folder.file(SECOND), msgspec.to_builtins(plan))
    return plan


def _write_gold(bench: Bench, enriched: Sequence[Enriched], choice: Choice) -> None:
    wanted = set(choice.chosen)
    questions = sorted((e.question for e in enriched if e.question["id"] in wanted), key=lambda q: str(q["id"]))
    version: dict[str, Any] = {
        "schema": SCHEMA,
        "corpus": bench.order.corpus,
        "created": bench.folder.date,
        "question_count": len(questions),
        "unanswerable_count": sum(question["content"]["is_impossible"] for question in questions),
        "target": bench.strata.target,
        "strata": {stratum.name: stratum.quota for stratum in bench.strata.strata},
        "index": bench.index.fingerprint,
    }
    if bench.order.config.gold.language != "auto":
        version["language"] = bench.order.config.gold.language
    write_json(bench.order.out, {"version": version, "questions": questions})


def _write_log(bench: Bench, built: Built, enriched: Sequence[Enriched], choice: Choice) -> None:
    """The log with what became of each candidate behind it."""
    kept = {each.key: each.question["id"] for each in enriched}
    refused = {each["key"]: (each["gate"], each["reason"]) for each in built.rejected}
    decisions = []
    for candidate in accepted(built.log):
        id_ = kept.get(candidate.key)
        chosen = id_ in choice.chosen
        gate, reason = refused.get(candidate.key, ("choice", choice.left.get(id_ or "")))
        decisions.append(
            LogLine(
                event="decision",
                batch=candidate.batch,
                accepted=chosen,
                gate=None if chosen else gate,
                reason=f"in the set as {id_}" if chosen else reason,
                key=candidate.key,
                chunk_id=candidate.chunk_id,
                prompt=candidate.prompt,
                model=candidate.model,
            )
        )
    write_atomic(bench.shop.log, encode_lines([*built.log, *decisions]))
