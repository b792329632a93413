import { etags, loadbay } from '@loadbay/client'
import { connection } from '@/app/connection'
import { session } from '@/app/session'
import { language } from './language'

export type { Schema } from '@loadbay/client'

const answers = etags()

/** The API of the console's own origin. */
export const api = loadbay({
  baseUrl: location.origin,
  token: () => session.token(),
  unauthorised: () => session.expire(),
  middleware: [language, answers, connection],
  attempts: 1, // queries have retries of their own
})

/** Clears the cached responses of the previous user. */
export const forgetAnswers = (): void => answers.clear()
