import type { MessageKey } from './messages'

/** The languages of the console, by their native names. `ar-XB` is English with right-to-left layout, for layout tests. */
export const locales = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  nl: 'Nederlands',
  'ar-XB': 'Right to left (test)',
} as const

export type Locale = keyof typeof locales

const key = 'loadbay.locale'

const isLocale = (text: string | null): text is Locale => text !== null && text in locales

/** The language saved on this machine, or the first of the browser's languages that the console supports. */
export function chosenLocale(): Locale {
  const asked = new URLSearchParams(location.search).get('lang') ?? localStorage.getItem(key)
  if (isLocale(asked)) return asked
  return navigator.languages.map((language) => language.slice(0, 2)).find(isLocale) ?? 'en'
}

/** Saves the language for the next visit. */
export function keepLocale(locale: Locale): void {
  localStorage.setItem(key, locale)
}

/** The texts of a language, loaded on demand. */
export async function loadMessages(locale: Locale): Promise<Record<MessageKey, string>> {
  if (locale === 'ar-XB') return (await import('./en.json')).default
  const files = {
    en: () => import('./en.json'),
    de: () => import('./de.json'),
    fr: () => import('./fr.json'),
    es: () => import('./es.json'),
    nl: () => import('./nl.json'),
  }
  return (await files[locale]()).default
}
