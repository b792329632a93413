"""The signatures of webhook messages (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hmac
import time
from collections.abc import Mapping

from .errors import WebhookError

TOLERANCE_SECONDS = 300


def sign_webhook(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Returns the value of the header webhook-signature."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise WebhookError("the secret of a webhook is whsec_ and base64") from None
    if not key:
        raise WebhookError("the secret of a webhook is whsec_ and base64")
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes) -> None:
    """Raises WebhookError unless the installation sent the message within the last five minutes.

    body is the body as it was received. While a secret is rotated, messages are signed with both.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    try:
        timestamp = int(lower["webhook-timestamp"])
        message_id, signatures = lower["webhook-id"], lower["webhook-signature"].split()
    except (KeyError, ValueError):
        raise WebhookError("the message has no webhook-id, webhook-timestamp and webhook-signature") from None
    if abs(time.time() - timestamp) > TOLERANCE_SECONDS:
        raise WebhookError("the message is too old, or the clocks differ")
    want = sign_webhook(secret, message_id, timestamp, body).encode()
    if not any(hmac.compare_digest(want, signature.encode()) for signature in signatures):
        raise WebhookError("the message is not signed with the secret of the webhook")
