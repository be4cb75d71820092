"""Who may talk to the studio, and with how much: asked of every request before anything else sees it."""

from __future__ import annotations

from collections.abc import Collection
from typing import final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""Nothing is loaded, run or sent anywhere but here, and no script or style stands in a page."""
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
MOST_BYTES = 64 * 1024
"""In the body of a request."""


@final
class Guard:
    """Refuses other sites, other hosts, forms that are not JSON, web sockets and large bodies.

    A page elsewhere can make a browser call this machine. It cannot make up the Host that the browser sends, nor leave
    out the Origin of a request that changes something, nor send JSON without asking first.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app, self._hosts = app, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # there are none here
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if wrong := self._wrong(scope["method"], Headers(scope=scope)):
            status, why = wrong
            await JSONResponse({"error": why}, status)(scope, receive, guarded)
            return
        await self._app(scope, _Bounded(receive), guarded)

    def _wrong(self, method: str, headers: Headers) -> tuple[int, str] | None:
        """Why a request is refused, if it is."""
        if headers.get("host", "").lower() not in self._hosts:
            return 403, "This studio answers to its own address only; open the one that feint studio printed."
        origin = headers.get("origin")
        if origin is not None and _host(origin) not in self._hosts:
            return 403, "Another page asked for this; open the studio itself."
        if method in ("GET", "HEAD"):
            return None
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "Another page asked for this; open the studio itself."
        if method == "POST" and headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return 415, "What is sent here is JSON; set content-type to application/json."
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > len(str(MOST_BYTES)) or int(length) > MOST_BYTES:
            return 413, f"At most {MOST_BYTES:,} bytes are taken at once; send less."
        return None


def _host(origin: str) -> str | None:
    """Whose page asks; None where what the browser sent says nothing."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


@final
class _Bounded:
    """What is received, as long as that is not too much: a body may not say how long it is."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._left = receive, MOST_BYTES

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        return message if self._left >= 0 else {"type": "http.disconnect"}
