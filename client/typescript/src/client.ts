import createClient, { type Client, type Middleware } from 'openapi-fetch'
import type { paths } from './schema.js'

/** A client of one installation, with a method per HTTP verb that is typed by the OpenAPI description. */
export type Loadbay = Client<paths>

/** Options of a client. */
export interface Options {
  /** The base URL of the installation, such as https://loadbay.example.org. */
  baseUrl: string
  /** Returns the bearer token. It is called before every request, so that tokens can be renewed. Null sends no token. */
  token?: () => string | null | Promise<string | null>
  /** Called when a request was rejected because of its token. */
  unauthorised?: () => void
  /** Additional middleware, such as etags(). */
  middleware?: Middleware[]
  /** Sends requests; the global fetch by default. */
  fetch?: (request: Request) => Promise<Response>
}

/** Creates a client of an installation. List parameters are sent separated by commas, as the API expects. */
export function loadbay({ baseUrl, token, unauthorised, middleware = [], fetch }: Options): Loadbay {
  const client = createClient<paths>({ baseUrl, ...(fetch && { fetch }), querySerializer: { array: { style: 'form', explode: false } } })
  const authorised: Middleware = {
    async onRequest({ request }) {
      const value = await token?.()
      if (value) request.headers.set('Authorization', `Bearer ${value}`)
      return request
    },
    onResponse({ response }) {
      if (response.status === 401) unauthorised?.()
    },
  }
  client.use(authorised, ...middleware)
  return client
}
