"""The ASGI face of a `ModelServer`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmaker.testing.http import Request

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request as HTTPRequest
    from starlette.responses import Response

    from agentmaker.testing.endpoint import Endpoint

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def application(endpoint: Endpoint) -> Starlette:
    """A Starlette application in front of *endpoint*, which does its own routing.

    Raises:
        ModuleNotFoundError: Starlette is not installed.
    """
    try:
        from starlette.applications import Starlette
        from starlette.responses import Response, StreamingResponse
        from starlette.routing import Route
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "ModelServer on a port needs Starlette and uvicorn: "
            "pip install 'agentmaker-runtime[server]'"
        ) from error

    async def respond(request: HTTPRequest) -> Response:
        received = Request(
            method=request.method,
            path=request.url.path,
            headers=dict(request.headers),
            content=await request.body(),
        )
        answer = await endpoint.answer(received)
        headers = dict(answer.headers)
        if isinstance(answer.content, bytes):
            return Response(answer.content, answer.status, headers)
        return StreamingResponse(answer.content, answer.status, headers)

    return Starlette(routes=[Route("/{path:path}", respond, methods=_METHODS)])
