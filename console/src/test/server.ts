import { vi } from 'vitest'

/** Answers the requests of a test; the test sets the answer. */
export type Server = { answer: (request: Request) => Promise<Response> }

/**
 * Replaces the server by a stand-in. The API's client takes fetch when it is loaded, so this must run before, in
 * vi.hoisted.
 */
export function standIn(): Server {
  const server: Server = { answer: () => Promise.reject(new Error('no answer')) }
  globalThis.fetch = (input, init) => server.answer(new Request(input, init))
  return server
}

/** A session that is signed in, as a mock of @/app/session. */
export const signedIn = () => ({
  session: { token: () => Promise.resolve('token'), expire: vi.fn(), state: () => 'active', subscribe: () => vi.fn() },
})
