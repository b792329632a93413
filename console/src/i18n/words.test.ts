import { expect, test } from 'vitest'
import de from './de.json'
import en from './en.json'
import es from './es.json'
import fr from './fr.json'
import nl from './nl.json'

const word = (...words: string[]) => new RegExp(`(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})`, 'iu')

/** Informal forms of address. All languages address people formally. */
const familiar = {
  de: word(
    'du',
    'dir',
    'dich',
    'dein\\p{L}*',
    'euch',
    'eure[mnrs]?',
    '(?:wähl|leg|kopier|behalt|schick|klick|drück|prüf)e',
    'schick',
    'mach',
    'gib',
    'nimm',
  ),
  fr: word('tu', 'ton', 'ta', 'tes', 'toi', 'te', '(?:choisi|fai)s'),
  es: word('tú', 'tu', 'tus', 'ti', 'te', 'contigo', 'vosotr[oa]s', 'elige', 'haz'),
  nl: word('je', 'jij', 'jou', 'jouw', 'jullie'),
}

/** Words that a language must not use, because docs/glossary.md has another word for the same thing. */
const others = {
  de: word(
    'berichtig\\p{L}*',
    'genehmig\\p{L}*',
    'gescheitert',
    'Zustand',
    'weglassen',
    'weggelassen',
    'aussortiert',
    'stillst\\p{L}*',
  ),
  en: word(
    'put \\w+ right',
    'put right',
    'taken? back',
    'leave \\w+ out',
    'left out',
    'stands? (?:still|for)',
    'trial run',
    'entry of',
    'whoever',
    'nobody',
    'somebody',
    'brought',
    'said',
  ),
  fr: word('imports?', 'exports?', 'essais?'),
  es: word('deshac\\p{L}*', 'deshech[oa]s?', 'carpeta de (?:entrega|depósito)'),
  nl: word('verbeter\\p{L}*', 'inlevermap', 'dropmap', 'toestand', 'soort van'),
}

/** Punctuation errors of a language: unpaired quotation marks and wrong spaces before punctuation marks. */
const misset = {
  de: (text: string) => count(text, '„') !== count(text, '“') || /[”«»]/.test(text),
  en: (text: string) => count(text, '“') !== count(text, '”') || / …/.test(text),
  es: (text: string) =>
    count(text, '¿') !== count(text, '?') || count(text, '«') !== count(text, '»') || /[“”]| …/.test(text),
  fr: (text: string) => /(?<!\u202f|\( )[:;!?»]|«(?!\u202f)|[“”]| …/.test(text),
  nl: (text: string) => count(text, '“') !== count(text, '”') || / …/.test(text),
}

const count = (text: string, mark: string) => text.split(mark).length - 1

const languages = { de, en, es, fr, nl }

const keysOf = (messages: Record<string, string>, isFault: (text: string) => boolean) =>
  Object.entries(messages)
    .filter(([, text]) => isFault(text))
    .map(([key]) => key)

test.each(['de', 'es', 'fr', 'nl'] as const)('%s addresses people formally', (language) => {
  expect(keysOf(languages[language], (text) => familiar[language].test(text))).toEqual([])
})

test.each(['de', 'en', 'es', 'fr', 'nl'] as const)('%s has one word for one thing', (language) => {
  expect(keysOf(languages[language], (text) => others[language].test(text))).toEqual([])
})

test.each(['de', 'en', 'es', 'fr', 'nl'] as const)('%s is set as its readers expect', (language) => {
  expect(
    keysOf(languages[language], (text) => misset[language](text) || /["']|\.\.\.|^\s|\s$| {2}/.test(text)),
  ).toEqual([])
})
