import type { Schema } from '@loadbay/client'
import { ApiError, errorOf } from '@/api/problem'
import type { Provider, Tokens } from './openid'

/** `refused`: sign-in failed, and the person has to try again. */
export type SessionState = 'active' | 'expired' | 'refused'

/** The redirect URI. */
const arrival = '/signed-in'

/**
 * The signed-in person. Tokens exist only in the memory of the page; after a reload they are requested from the issuer, which recognises the browser.
 * Every request waits for token(), so none is sent before sign-in is complete.
 */
class Session {
  private current: SessionState = 'active'
  private readonly listeners = new Set<() => void>()
  private begun: Promise<Provider | null> | undefined
  private tokens: Tokens | undefined
  private renewing: Promise<void> | undefined
  private before = '/'

  /** The access token; null if the service needs no sign-in. Throws an ApiError if there is no token or the issuer is unreachable. */
  async token(): Promise<string | null> {
    if (this.current !== 'active') throw signedOut()
    const provider = await (this.begun ??= this.begin())
    if (!provider) return null
    if (this.tokens && needsRenewal(this.tokens))
      await (this.renewing ??= this.renew(provider, this.tokens).finally(() => {
        this.renewing = undefined
      }))
    if (!this.tokens) throw signedOut()
    return this.tokens.access
  }

  /** The address before sign-in. */
  get back(): string {
    return this.before
  }

  /** Whether a person can sign out. */
  get signedIn(): boolean {
    return this.tokens !== undefined
  }

  /** Marks the token as rejected by the service. */
  expire(): void {
    this.end('expired')
  }

  /** Redirects to sign-in and back to this page. */
  signIn(): void {
    if (location.pathname === arrival) location.replace(this.before)
    else location.reload()
  }

  /** Ends the session here and at the issuer. */
  async signOut(): Promise<void> {
    const signOutUrl = this.tokens && (await this.begun)?.signOutUrl(this.tokens)
    this.end('expired')
    if (signOutUrl) location.assign(signOutUrl)
  }

  /** For useSyncExternalStore. */
  readonly state = (): SessionState => this.current

  /** For useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private async begin(): Promise<Provider | null> {
    try {
      const auth = await howToSignIn()
      if (!auth.required) return null
      if (!auth.issuer || !auth.clientId) return this.refuse()
      const { Provider } = await import('./openid')
      const provider = await Provider.find(auth).catch((error: unknown) => {
        throw unreachable(error)
      })
      if (location.pathname === arrival) await this.arrive(provider)
      else await leave(provider)
      return provider
    } catch (error) {
      this.begun = undefined // the next request tries again
      throw error
    }
  }

  private async arrive(provider: Provider): Promise<void> {
    try {
      const { tokens, back } = await provider.arrive(new URL(location.href))
      this.tokens = tokens
      this.before = ownAddress(back)
      this.listeners.forEach((listener) => listener())
    } catch {
      this.refuse()
    }
  }

  private async renew(provider: Provider, old: Tokens): Promise<void> {
    const { isRefusal } = await import('./openid')
    try {
      if (!old.refresh) {
        this.expire()
        return
      }
      this.tokens = await provider.renew(old)
    } catch (error) {
      if (!isRefusal(error)) throw unreachable(error)
      this.expire()
    }
  }

  private refuse(): never {
    this.end('refused')
    throw signedOut()
  }

  private end(state: SessionState): void {
    this.tokens = undefined
    if (state === this.current) return
    this.current = state
    this.listeners.forEach((listener) => listener())
  }
}

/** The session of this page. */
export const session = new Session()

// A page from the back/forward cache would show the data of the previous session.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

async function howToSignIn(): Promise<Schema<'Auth'>> {
  const response = await fetch('/api/auth').catch((error: unknown) => {
    throw unreachable(error)
  })
  if (!response.ok) throw await errorOf(response)
  return (await response.json()) as Schema<'Auth'>
}

/** An address of this console: a path with two slashes or a backslash would name another host. */
export const ownAddress = (address: string): string => (/^\/(?![/\\])/.test(address) ? address : '/')

/** Redirects to sign-in. The promise never resolves because the page is unloaded. */
async function leave(provider: Provider): Promise<never> {
  await provider.leave(ownAddress(location.pathname + location.search))
  return new Promise(() => undefined)
}

/** Whether tokens need renewal: 30 seconds before they expire, or after half the lifetime of short-lived ones. */
const needsRenewal = ({ until, life }: Tokens): boolean => until - Date.now() < Math.min(30_000, life / 2)

const signedOut = () => new ApiError(401, {})
const unreachable = (error: unknown) => new ApiError(0, { detail: String(error) })
