import { afterEach, expect, test } from 'vitest'
import { language } from '@/api/language'
import { choosableLocales, keepLocale } from './locales'

afterEach(() => localStorage.clear())

test('requests titles and messages in the chosen language', async () => {
  const sent = async () => {
    const request = new Request('http://localhost/api/import-types')
    await language.onRequest!({ request } as Parameters<NonNullable<typeof language.onRequest>>[0])
    return request.headers.get('Accept-Language')
  }
  keepLocale('de')
  expect(await sent()).toBe('de')
  keepLocale('ar-XB')
  expect(await sent()).toBe('en')
})

test('offers the layout test only where it is on', () => {
  expect(choosableLocales('de')).not.toContain('ar-XB')
  expect(choosableLocales('ar-XB')).toContain('ar-XB')
})
