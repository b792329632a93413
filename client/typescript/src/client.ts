import createClient, { type Client, type Middleware } from 'openapi-fetch'
import { retrying } from './retries.js'
import type { paths } from './schema.js'

/** A client of one installation, with a method per HTTP verb that is typed by the OpenAPI description. */
export type Loadbay = Client<paths>

/** Options of a client. */
export interface Options {
  /** The base URL of the installation, such as https://loadbay.example.org. */
  baseUrl: string
  /** Returns the bearer token or API key. It is called before every request, so that tokens can be renewed. Null sends no token. */
  token?: () => string | null | Promise<string | null>
  /** Called when a request was rejected because of its token. */
  unauthorised?: () => void
  /** Additional middleware, such as etags(). */
  middleware?: Middleware[]
  /** How often a request is sent if it is safe to repeat: 5 times by default. */
  attempts?: number
  /** Sends requests; the global fetch by default. */
  fetch?: (request: Request) => Promise<Response>
}

/** API keys begin so. On AWS, the gateway accepts them only below /key. */
const keyPrefix = 'lbk_'

/** Returns the address of a request with an API key. */
function keyAddress(url: string, baseUrl: string): string {
  const base = new URL(baseUrl).href.replace(/\/$/, '')
  return url.startsWith(`${base}/key/`) ? url : base + '/key' + url.slice(base.length)
}

/** Creates a client of an installation. List parameters are sent separated by commas, as the API expects. */
export function loadbay({ baseUrl, token, unauthorised, middleware = [], attempts = 5, fetch = (request) => globalThis.fetch(request) }: Options): Loadbay {
  const client = createClient<paths>({ baseUrl, fetch: retrying(fetch, attempts), querySerializer: { array: { style: 'form', explode: false } } })
  const authorised: Middleware = {
    async onRequest({ request }) {
      const value = await token?.()
      if (!value) return request
      request.headers.set('Authorization', `Bearer ${value}`)
      return value.startsWith(keyPrefix) ? new Request(keyAddress(request.url, baseUrl), request) : request
    },
    onResponse({ response }) {
      if (response.status === 401) unauthorised?.()
    },
  }
  client.use(authorised, ...middleware)
  return client
}
