import * as oauth from 'oauth4webapi'
import type { Schema } from '@loadbay/client'

/** The tokens of a signed-in person. */
export type Tokens = {
  access: string
  refresh: string | undefined
  identity: string | undefined
  until: number
  life: number
}

/** State of a sign-in attempt, stored while the browser is at the issuer. It is worthless without the code. */
type Attempt = { verifier: string; nonce: string; back: string }

const redirect = () => `${location.origin}/signed-in`
const kept = (state: string) => `loadbay.sign-in.${state}`

/** The OpenID provider, used with the authorization code flow and PKCE. Callers keep the tokens in memory. */
export class Provider {
  private constructor(
    private readonly server: oauth.AuthorizationServer,
    private readonly auth: Schema<'Auth'>,
  ) {}

  /** Discovers the issuer's endpoints. */
  static async find(auth: Schema<'Auth'>): Promise<Provider> {
    const issuer = new URL(auth.issuer!)
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...loose(issuer) })
    return new Provider(await oauth.processDiscoveryResponse(issuer, response), auth)
  }

  /** Redirects to the issuer's sign-in page, which redirects back to /signed-in. */
  async leave(back: string): Promise<void> {
    const [state, verifier, nonce] = [
      oauth.generateRandomState(),
      oauth.generateRandomCodeVerifier(),
      oauth.generateRandomNonce(),
    ]
    sessionStorage.setItem(kept(state), JSON.stringify({ verifier, nonce, back } satisfies Attempt))
    const to = new URL(this.server.authorization_endpoint!)
    const asked = {
      response_type: 'code',
      client_id: this.client.client_id,
      redirect_uri: redirect(),
      scope: this.auth.scopes.join(' '),
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(this.auth.audience && { audience: this.auth.audience }),
    }
    for (const [name, value] of Object.entries(asked)) to.searchParams.set(name, value)
    location.assign(to)
  }

  /** Exchanges the code for tokens. Returns them with the address before sign-in. */
  async arrive(address: URL): Promise<{ tokens: Tokens; back: string }> {
    const state = address.searchParams.get('state') ?? ''
    const attempt = JSON.parse(sessionStorage.getItem(kept(state)) ?? 'null') as Attempt | null
    if (!attempt) throw new Error('this browser has not asked to sign in')
    sessionStorage.removeItem(kept(state))
    const given = oauth.validateAuthResponse(this.server, this.client, address, state)
    const response = await oauth.authorizationCodeGrantRequest(
      this.server,
      this.client,
      oauth.None(),
      given,
      redirect(),
      attempt.verifier,
      this.options,
    )
    const answer = await oauth.processAuthorizationCodeResponse(this.server, this.client, response, {
      expectedNonce: attempt.nonce,
      requireIdToken: true,
    })
    return { tokens: tokensOf(answer), back: attempt.back }
  }

  /** Renews tokens. If the issuer rejects the request, the error is an `oauth.ResponseBodyError`. */
  async renew({ refresh, identity }: Tokens): Promise<Tokens> {
    const response = await oauth.refreshTokenGrantRequest(
      this.server,
      this.client,
      oauth.None(),
      refresh!,
      this.options,
    )
    const answer = await oauth.processRefreshTokenResponse(this.server, this.client, response)
    return { ...tokensOf(answer), identity: answer.id_token ?? identity, refresh: answer.refresh_token ?? refresh }
  }

  /** The issuer's sign-out URL; null if it has none. */
  signOutUrl({ identity }: Tokens): URL | null {
    if (!this.server.end_session_endpoint) return null
    const to = new URL(this.server.end_session_endpoint)
    const home = `${location.origin}/`
    // Cognito's own name for the address is logout_uri.
    for (const [name, value] of Object.entries({
      client_id: this.client.client_id,
      post_logout_redirect_uri: home,
      logout_uri: home,
    }))
      to.searchParams.set(name, value)
    if (identity) to.searchParams.set('id_token_hint', identity)
    return to
  }

  private get client(): oauth.Client {
    return { client_id: this.auth.clientId!, token_endpoint_auth_method: 'none' }
  }

  private get options() {
    return loose(new URL(this.server.issuer))
  }
}

/** Whether the issuer rejected a request, as opposed to a network failure. */
export const isRefusal = (error: unknown): boolean => error instanceof oauth.ResponseBodyError

/** Allows an issuer on this machine to work without TLS. */
const loose = ({ hostname }: URL) => ({
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated only to stand out; the hosts are limited here
  [oauth.allowInsecureRequests]: ['127.0.0.1', 'localhost', '[::1]'].includes(hostname),
})

function tokensOf(answer: oauth.TokenEndpointResponse): Tokens {
  const life = (answer.expires_in ?? 300) * 1_000
  return {
    access: answer.access_token,
    refresh: answer.refresh_token,
    identity: answer.id_token,
    until: Date.now() + life,
    life,
  }
}
