"""Embeddings from any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from agentmaker.calls.call import Usage
from agentmaker.calls.translation import our_errors
from agentmaker.context.knobs import check_count, kind_of
from agentmaker.context.results import Embedding
from agentmaker.context.threads import DaemonThreads
from agentmaker.errors import ConfigError, LLMResponseError
from agentmaker.memory.index.embedding import Embedded

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI


class OpenAIEmbedder:
    """Asks *client* for embeddings; an embedder for `Memory`, `KnowledgeBase` and task contexts.

    The client's own retries, timeouts and headers hold. One that blocks is asked in a thread.

    Args:
        client: an ``AsyncOpenAI`` or ``OpenAI``, wrapped or not.
        model: the name of an embedding model on its server.
        dimensions: the width of the vectors, for models that can be asked for one.
        batch: texts in one request; servers of one's own often take fewer than OpenAI's 2,048.

    Raises:
        ConfigError: *client* is none, *model* is empty, or a number is below 1.
        LLMRequestError: (when called) a request failed.
        LLMResponseError: (when called) the answer is no list of as many embeddings as texts.
    """

    def __init__(
        self,
        client: AsyncOpenAI | OpenAI,
        model: str,
        *,
        dimensions: int | None = None,
        batch: int = 64,
    ) -> None:
        self._blocks = _blocks(client)
        self._create: Callable[..., Any] = client.embeddings.create
        self._said = {"model": _checked_model(model), **_dimensions(dimensions)}
        self._batch = check_count("batch", batch, least=1)
        self._threads = DaemonThreads()
        self.name = "/".join(map(str, self._said.values()))

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.name!r})"

    async def __call__(self, texts: Sequence[str]) -> Embedded:
        """A vector of each text, and the tokens that the server counted."""
        vectors: list[Embedding] = []
        tokens: list[int | None] = []
        for first in range(0, len(texts), self._batch):
            some = texts[first : first + self._batch]
            with _no_embeddings(), our_errors():
                answer = await self._asked(some)
            vectors.extend(_vectors(answer, len(some)))
            tokens.append(_tokens(answer))
        return Embedded(vectors, _sum(tokens))

    async def _asked(self, texts: Sequence[str]) -> Any:
        # OpenAI refuses a text without anything in it.
        ask = partial(self._create, input=[text or " " for text in texts], **self._said)
        return await (self._threads.run(ask) if self._blocks else ask())


def _vectors(answer: Any, number: int) -> list[Embedding]:
    """The embeddings in the order of the texts: a server may answer in another.

    Raises:
        LLMResponseError: there are not as many as texts.
    """
    found = getattr(answer, "data", None)
    if not isinstance(found, list) or len(found) != number:
        said = len(found) if isinstance(found, list) else "no"
        raise LLMResponseError(
            f"the server gave {said} embeddings for {number} texts: "
            "see that the model is one for embeddings, or lower batch="
        )
    by_place = {getattr(each, "index", None): each.embedding for each in found}
    if by_place.keys() == {*range(number)}:
        return [by_place[place] for place in range(number)]
    # A server that does not number them gives them in order.
    return [each.embedding for each in found]


def _tokens(answer: Any) -> int | None:
    usage = Usage.from_wire(getattr(answer, "usage", None))
    return usage.prompt_tokens if usage else None


def _sum(tokens: Sequence[int | None]) -> int | None:
    known = [each for each in tokens if each is not None]
    return sum(known) if known else None


@contextmanager
def _no_embeddings() -> Iterator[None]:
    try:
        yield
    except (AttributeError, TypeError, ValueError) as error:
        # So the SDK fails where there are no embeddings in an answer, or none that can be decoded.
        raise LLMResponseError(
            f"the server's answer holds no embeddings ({error}): "
            "see that the model is one for embeddings"
        ) from error


def _blocks(client: Any) -> bool:
    import openai

    # By its type: a mock of a client says that it is one.
    if issubclass(type(client), openai.AsyncOpenAI):
        return False
    if issubclass(type(client), openai.OpenAI):
        return True
    raise ConfigError(
        f"OpenAIEmbedder takes an AsyncOpenAI(...) or OpenAI(...), not {kind_of(client)}"
    )


def _dimensions(given: int | None) -> dict[str, int]:
    return {} if given is None else {"dimensions": check_count("dimensions", given, least=1)}


def _checked_model(model: object) -> str:
    if isinstance(model, str) and model:
        return model
    raise ConfigError(f"model must be the name of an embedding model, not {model!r}")
