import createClient, { type Middleware } from 'openapi-fetch'
import { session } from '@/app/session'
import { etags } from './etags'
import type { components, paths } from './schema'

/** A schema of the API's description, by its name there. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

const authorised: Middleware = {
  async onRequest({ request }) {
    const token = await session.token()
    if (token) request.headers.set('Authorization', `Bearer ${token}`)
    return request
  },
  onResponse({ response }) {
    if (response.status === 401) session.expire()
  },
}

/** The API, with commas between the entries of lists, of the console's own origin. Its types are generated from the API's description. */
export const api = createClient<paths>({ baseUrl: location.origin, querySerializer: { array: { style: 'form', explode: false } } })
const answers = etags()
api.use(authorised, answers)

/** Forgets what was answered to whoever was signed in. */
export const forgetAnswers = (): void => answers.clear()
