import type { Middleware } from 'openapi-fetch'

const kept = 100

/**
 * Serves unchanged resources from memory: polling an unchanged list costs only a 304.
 * The browser's cache is not used because API responses must not be stored on disk.
 */
export function etags(): Middleware & { clear: () => void } {
  const answers = new Map<string, Response>()
  return {
    clear: () => answers.clear(),
    onRequest({ request }) {
      const tag = request.method === 'GET' ? answers.get(request.url)?.headers.get('ETag') : null
      if (tag) request.headers.set('If-None-Match', tag)
      return request
    },
    async onResponse({ request, response }) {
      if (response.status === 304) return answers.get(request.url)?.clone()
      if (request.method !== 'GET' || !response.ok || !response.headers.has('ETag')) return undefined
      // An answer that is given up while it comes would be kept as one that nobody can read.
      const { status, headers } = response
      const whole = new Response(await response.clone().arrayBuffer(), { status, headers })
      answers.delete(request.url)
      answers.set(request.url, whole)
      for (const oldest of answers.keys()) {
        if (answers.size <= kept) break
        answers.delete(oldest)
      }
      return undefined
    },
  }
}
