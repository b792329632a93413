import { useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useLayoutEffect, useState, type ReactNode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { IntlProvider } from 'react-intl'
import { chosenLocale, keepLocale, loadMessages, type Locale } from './locales'

const LanguageContext = createContext<{ locale: Locale; setLocale: (locale: Locale) => void } | null>(null)

/** The current language and its setter. */
export function useLanguage() {
  const language = use(LanguageContext)
  if (!language) throw new Error('useLanguage is used outside of Language')
  return language
}

/** Provides the texts of the selected language. */
export function Language({ children }: { children: ReactNode }) {
  const [locale, setLocale] = useState(chosenLocale)
  const queries = useQueryClient()
  const [shown, setShown] = useState<{ locale: Locale; messages: Record<string, string> } | null>(null)
  useEffect(() => {
    let current = true
    void loadMessages(locale).then((messages) => current && setShown({ locale, messages }))
    return () => {
      current = false
    }
  }, [locale])
  // A layout effect, so that a right-to-left language is never painted from left to right.
  useLayoutEffect(() => {
    if (!shown) return
    document.documentElement.lang = shown.locale === 'ar-XB' ? 'en' : shown.locale
    document.documentElement.dir = shown.locale === 'ar-XB' ? 'rtl' : 'ltr'
  }, [shown])
  if (!shown) return null
  const change = (next: Locale) => {
    keepLocale(next)
    setLocale(next)
    void queries.invalidateQueries() // titles and messages of the server
  }
  return (
    <LanguageContext value={{ locale: shown.locale, setLocale: change }}>
      <I18nProvider locale={regional(shown.locale)}>
        <IntlProvider locale={shown.locale === 'ar-XB' ? 'en' : regional(shown.locale)} messages={shown.messages}>
          {children}
        </IntlProvider>
      </I18nProvider>
    </LanguageContext>
  )
}

/** The browser's regional variant of a language for dates and numbers, such as en-GB. */
function regional(locale: Locale): string {
  return navigator.languages.find((language) => language.startsWith(`${locale}-`)) ?? locale
}
