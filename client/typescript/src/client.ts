import createClient, { type Client, type Middleware } from 'openapi-fetch'
import type { paths } from './schema.js'

/** A client of one installation: a method for each verb, whose paths, parameters, bodies and answers are those of the API's description. */
export type Loadbay = Client<paths>

/** How an installation is called. */
export interface Options {
  /** The address of the installation, such as https://loadbay.example.org. */
  baseUrl: string
  /** The bearer token of the next request; asked before each one, so that it can be renewed. Null sends none. */
  token?: () => string | null | Promise<string | null>
  /** Told when a request was refused because of its token. */
  unauthorised?: () => void
  /** What else is done with requests and responses, such as etags(). */
  middleware?: Middleware[]
  /** What sends requests, unless it is the global fetch. */
  fetch?: (request: Request) => Promise<Response>
}

/** The API of an installation, with commas between the entries of lists, as it takes them. */
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
