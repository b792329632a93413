/** The languages of the console. A new one needs a line here, a file with its texts, and its rules in words.test.ts. */
export const languages = {
  en: { name: 'English', load: () => import('./en.json') },
  de: { name: 'Deutsch', load: () => import('./de.json') },
  fr: { name: 'Français', load: () => import('./fr.json') },
  es: { name: 'Español', load: () => import('./es.json') },
  nl: { name: 'Nederlands', load: () => import('./nl.json') },
} as const

export type Language = keyof typeof languages
