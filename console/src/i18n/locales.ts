import { languages, type Language } from './languages'
import type { MessageKey } from './messages'

/** English with right-to-left layout, for layout tests. */
const rightToLeft = 'ar-XB'

export type Locale = Language | typeof rightToLeft

/** All languages, by their native names. */
export const locales: Record<Locale, string> = {
  ...(Object.fromEntries(Object.entries(languages).map(([locale, { name }]) => [locale, name])) as Record<
    Language,
    string
  >),
  [rightToLeft]: 'Right to left (test)',
}

const key = 'loadbay.locale'

const isLocale = (text: string | null): text is Locale => text !== null && text in locales

/** The language saved on this machine, or the first of the browser's languages that the console supports. */
export function chosenLocale(): Locale {
  const asked = new URLSearchParams(location.search).get('lang') ?? localStorage.getItem(key)
  if (isLocale(asked)) return asked
  return navigator.languages.map((language) => language.slice(0, 2)).find(isLocale) ?? 'en'
}

/** The languages that a person can choose. The layout test is offered only where it is already on. */
export const choosableLocales = (current: Locale): Locale[] =>
  (Object.keys(locales) as Locale[]).filter((locale) => locale !== rightToLeft || locale === current)

let current: Locale | undefined

/** The language of titles and messages that come from the server. */
export function serverLanguage(): Language {
  const locale = current ?? chosenLocale()
  return locale === rightToLeft ? 'en' : locale
}

/** Saves the language for the next visit. */
export function keepLocale(locale: Locale): void {
  current = locale
  localStorage.setItem(key, locale)
}

/** The texts of a language, loaded on demand. */
export async function loadMessages(locale: Locale): Promise<Record<MessageKey, string>> {
  return (await languages[locale === rightToLeft ? 'en' : locale].load()).default
}
