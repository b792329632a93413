/** The delays between attempts in milliseconds, unless the server specifies one. */
const minDelay = 200
const maxDelay = 10_000
const maxRetryAfter = 60_000

type Send = (request: Request) => Promise<Response>

/**
 * Returns a fetch that repeats requests. 429 and 503 mean that the server did nothing; after other failures, only requests that are
 * safe to repeat are sent again: all except POST and PATCH without an Idempotency-Key.
 */
export function retrying(send: Send, attempts: number): Send {
  return async (request) => {
    const repeatable = !['POST', 'PATCH'].includes(request.method) || request.headers.has('Idempotency-Key')
    for (let attempt = 1; ; attempt++) {
      const last = attempt >= attempts
      let response: Response | undefined
      try {
        response = await send(last ? request : request.clone())
      } catch (error) {
        if (last || !repeatable || request.signal.aborted) throw error
      }
      if (response) {
        const refused = response.status === 429 || response.status === 503
        if (last || !(refused || (repeatable && response.status >= 500))) return response
        await response.body?.cancel()
      }
      await pause(delay(attempt, response), request.signal)
    }
  }
}

function delay(attempt: number, response?: Response): number {
  const seconds = Number(response?.headers.get('Retry-After'))
  if (seconds > 0) return Math.min(seconds * 1000, maxRetryAfter)
  return Math.min(minDelay * 2 ** (attempt - 1), maxDelay)
}

/** Waits; an aborted signal ends the wait with its reason. */
export function pause(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
