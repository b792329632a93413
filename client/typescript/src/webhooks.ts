/** How far the time of a message may be from now, in seconds. */
const tolerance = 5 * 60

/** Means that a message was not signed with the secret of the webhook, or too long ago. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

/**
 * Checks that a message comes from the installation (Standard Webhooks); otherwise throws a WebhookError. `body` is the text as it was
 * received. Ignore a `webhook-id` that you have processed before.
 */
export async function verifyWebhook(secret: string, headers: Headers, body: string): Promise<void> {
  const id = headers.get('webhook-id') ?? ''
  const time = headers.get('webhook-timestamp') ?? ''
  if (!/^\d+$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > tolerance) {
    throw new WebhookError('The message has no time, or it is too old.')
  }
  const key = await crypto.subtle.importKey(
    'raw', bytes(secret.replace(/^whsec_/, '')), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'],
  )
  const signed = new TextEncoder().encode(`${id}.${time}.${body}`)
  for (const signature of (headers.get('webhook-signature') ?? '').split(' ')) {
    // While a secret is rotated, messages have signatures of both secrets.
    if (signature.startsWith('v1,') && (await crypto.subtle.verify('HMAC', key, bytes(signature.slice(3)), signed))) return
  }
  throw new WebhookError('The message is not signed with the secret of the webhook.')
}

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array(0)
  }
}
