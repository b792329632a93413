"""The Python client of Loadbay."""

from .client import Client, ended, needs_input
from .errors import ApiError, ConnectionFailed, LoadbayError, WebhookError
from .webhooks import verify_webhook

__all__ = ["ApiError", "Client", "ConnectionFailed", "LoadbayError", "WebhookError", "ended", "needs_input", "verify_webhook"]
