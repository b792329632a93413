/** Who is logged in. Tokens live in the memory of the page alone. */
export type SessionState = 'active' | 'expired'

/** The session of this page. Listeners hear when its state changes. */
class Session {
  private current: SessionState = 'active'
  private readonly listeners = new Set<() => void>()

  /** The token to send; null where the service asks for none. */
  token(): Promise<string | null> {
    return Promise.resolve(null)
  }

  /** Says that the service no longer takes the token. */
  expire(): void {
    this.change('expired')
  }

  /** For useSyncExternalStore. */
  readonly state = (): SessionState => this.current

  /** For useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private change(state: SessionState): void {
    if (state === this.current) return
    this.current = state
    this.listeners.forEach((listener) => listener())
  }
}

export const session = new Session()
