import type { Middleware } from 'openapi-fetch'
import { serverLanguage } from '@/i18n/locales'

/** Requests titles and messages in the language of the console. */
export const language: Middleware = {
  onRequest({ request }) {
    request.headers.set('Accept-Language', serverLanguage())
  },
}
