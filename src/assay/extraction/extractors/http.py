"""An extractor behind HTTP: `POST URL {id, text, reference_datetime, timezone, owner, calendar_context}`.

It answers as `told.py` reads it: `{"records": [...]}` or `{"events": [...]}`, perhaps with `usage`, `timing`, `model`.
Tries, waits and the token are those of `systems/posting.py`.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from msgspec.structs import replace

from assay.config import Pipeline
from assay.errors import AssayError
from assay.extraction.extractors.python import payload_of
from assay.extraction.protocol import EXTRACTORS, Context, Output, Sample
from assay.extraction.told import read_output
from assay.records import Fault
from assay.retrievers.answers import BadAnswer
from assay.systems.posting import Failed, NoSuchPath, Poster
from assay.urls import shown_url

DEFAULT_PATH = "extract"


@EXTRACTORS.register("http", "https")
class Http:
    """A service, spoken to over one session for the whole run."""

    tells_seconds = True

    def __init__(self, context: Context) -> None:
        options = context.config.extraction
        base, path = split(context.argument)
        pipeline = Pipeline(
            timeout=options.timeout, tries=options.tries, first_wait=options.first_wait, token_env=options.token_env
        )
        self._poster, self._path = Poster(base, pipeline, context.config.seed, "extraction"), path
        self.name = f"{self._poster.where}/{path}"

    async def extract(self, sample: Sample) -> Output:
        try:
            reply = await self._poster.post(self._path, payload_of(sample))
            output = read_output(reply.body)
        except NoSuchPath as fault:
            raise AssayError(str(fault), where=self._poster.where, hint="Give the whole address to post to") from None
        except Failed as fault:
            return Output(fault=Fault("extract", str(fault)), attempts=fault.retry.attempts)
        except BadAnswer as fault:
            return Output(fault=Fault("extract", str(fault)), seconds=reply.seconds, attempts=reply.retry.attempts)
        seconds = reply.seconds if output.seconds is None else output.seconds
        return replace(output, seconds=seconds, attempts=reply.retry.attempts)

    async def close(self) -> None:
        await self._poster.close()


def split(url: str) -> tuple[str, str]:
    """The address without its last part, and that part."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url, DEFAULT_PATH  # told by the poster
    if parts.username or parts.password or parts.query or parts.fragment:
        raise AssayError(
            "the address of an extractor is without user, password, query and fragment",
            where=shown_url(url),
            hint="Name an environment variable with a bearer token in extraction.token_env instead",
        )
    folder, _, last = parts.path.rstrip("/").rpartition("/")
    return (f"{parts.scheme}://{parts.netloc}{folder}", last) if last else (url.rstrip("/"), DEFAULT_PATH)
