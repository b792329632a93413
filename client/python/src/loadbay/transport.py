"""Sends requests, and repeats those that are safe to repeat."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from .errors import ApiError, ConnectionFailed

# API keys begin so. Requests with one have /key before their path: on AWS, the gateway accepts only
# tokens elsewhere.
KEY_PREFIX = "lbk_"
KEY_PATH = "/key"

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0


class _KeepRedirects(urllib.request.HTTPRedirectHandler):
    """Returns redirects to the caller: they lead to other servers, which must not receive the token."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Response:
    """A successful response."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes):
        self.status, self.headers, self.body = status, headers, body

    def json(self) -> Any:
        return json.loads(self.body) if self.body else None


class Transport:
    """Sends requests to one installation."""

    def __init__(self, url: str, token: str | Callable[[], str] | None, timeout: float, attempts: int):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"{url!r} is not the URL of an installation, such as https://loadbay.example.org")
        self.base, self.token, self.timeout, self.attempts = url.rstrip("/"), token, timeout, max(1, attempts)
        self.opener = urllib.request.build_opener(_KeepRedirects)

    def call(
        self, method: str, path: str, params: Mapping[str, Any] | None = None, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Response:
        """Sends a request to the API. body is sent as JSON. path may be an address of the installation."""
        sent = {"User-Agent": "loadbay-python", "Accept": "application/json", **(headers or {})}
        data = None
        if body is not None:
            data, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        repeatable = method not in ("POST", "PATCH") or "Idempotency-Key" in sent
        return self._attempt(lambda: self._send(method, self._address(path, params, sent), data, sent), repeatable)

    def put(self, address: str, headers: Mapping[str, str], piece: bytes) -> None:
        """Sends a piece of a file to an address that the API returned, without the token."""
        try:
            self._attempt(lambda: self._send("PUT", address, piece, {"User-Agent": "loadbay-python", **headers}), True)
        except ApiError as error:
            if error.status != 412:  # sent by an attempt whose response was lost
                raise

    def _address(self, path: str, params: Mapping[str, Any] | None, headers: dict[str, str]) -> str:
        """Returns the address of a request, and adds the token to its headers."""
        token = self.token() if callable(self.token) else self.token
        if "://" in path:
            origin, target = urlsplit(self.base), urlsplit(path)
            if (origin.scheme, origin.netloc) != (target.scheme, target.netloc):
                raise ValueError(f"{target.netloc} is not the installation")
            path = path[len(self.base):] if path.startswith(self.base) else target.path + ("?" + target.query if target.query else "")
        if token:
            headers["Authorization"] = "Bearer " + token
            if token.startswith(KEY_PREFIX) and not path.startswith(KEY_PATH + "/"):
                path = KEY_PATH + path
        query = {k: _parameter(v) for k, v in (params or {}).items() if v is not None}
        return self.base + path + (("&" if "?" in path else "?") + urlencode(query) if query else "")

    def _attempt(self, send: Callable[[], Response], repeatable: bool) -> Response:
        pause = FIRST_PAUSE
        for left in range(self.attempts - 1, -1, -1):
            try:
                return send()
            except ApiError as error:
                # The server did nothing if it answers 429 or 503.
                again = error.status in (429, 503) or repeatable and error.status in (500, 502, 504)
                if not left or not again:
                    raise
                wait = getattr(error, "retry_after", None)
            except ConnectionFailed:
                if not left or not repeatable:
                    raise
                wait = None
            time.sleep(min(LONGEST_PAUSE, wait if wait is not None else pause))
            pause *= 2
        raise AssertionError("unreachable")

    def _send(self, method: str, address: str, data: bytes | None, headers: Mapping[str, str]) -> Response:
        request = urllib.request.Request(address, data=data, headers=dict(headers), method=method)
        try:
            with self.opener.open(request, timeout=self.timeout) as response:
                return Response(response.status, response.headers, response.read())
        except urllib.error.HTTPError as response:
            if response.code == 304:
                return Response(304, response.headers, b"")
            error = ApiError.from_response(response.code, response.headers, response.read())
            error.retry_after = _seconds(response.headers.get("Retry-After"))  # type: ignore[attr-defined]
            raise error from None
        except (urllib.error.URLError, http.client.HTTPException, OSError) as cause:
            reason = getattr(cause, "reason", cause)
            raise ConnectionFailed(f"No response from {urlsplit(address).netloc}: {reason}") from cause


def next_page(response: Response, base: str) -> str | None:
    """Returns the address of the next page of a list (RFC 8288)."""
    for link in (response.headers.get("Link") or "").split(","):
        target, _, attributes = link.partition(";")
        if 'rel="next"' in attributes:
            return urljoin(base + "/", target.strip().strip("<>"))
    return None


def _parameter(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value)


def _seconds(text: str | None) -> float | None:
    return float(text) if text and text.isdigit() else None
