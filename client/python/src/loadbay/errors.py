"""The errors of the client."""

from __future__ import annotations

import json
from typing import Any


class LoadbayError(Exception):
    """The base of all errors of this package."""


class ConnectionFailed(LoadbayError):
    """No response was received."""


class WebhookError(LoadbayError):
    """A message is not signed with the secret of the webhook, or too old."""


class ApiError(LoadbayError):
    """An unsuccessful response.

    code is for programs, such as NOT_FOUND; it is "" if something in front of the API responded.
    errors describes parts of the request: each has field, code and message.
    """

    def __init__(self, status: int, code: str, detail: str, errors: list[dict[str, str]], request_id: str):
        super().__init__("\n".join([detail, *(f"  {e['field']}: {e['message']}" for e in errors)]))
        self.status, self.code, self.detail, self.errors, self.request_id = status, code, detail, errors, request_id

    @classmethod
    def from_response(cls, status: int, headers: Any, body: bytes) -> ApiError:
        """Returns the error of a response."""
        try:
            problem = json.loads(body)
        except ValueError:
            problem = None
        if not isinstance(problem, dict):
            problem = {}
        detail = problem.get("detail") or problem.get("message") or ""
        text = detail or f"The server responded with status {status}. Check the URL of the installation."
        return cls(status, problem.get("code", ""), text, problem.get("errors", []), problem.get("requestId") or headers.get("X-Request-ID") or "")
