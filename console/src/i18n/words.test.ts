import { expect, test } from 'vitest'
import { languages, type Language } from './languages'

const word = (...words: string[]) => new RegExp(`(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})`, 'iu')

/** Informal forms of address, in languages that have them. All languages address people formally. */
const familiar: Partial<Record<Language, RegExp>> = {
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
const others: Record<Language, RegExp> = {
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
const misset: Record<Language, (text: string) => boolean> = {
  de: (text: string) => count(text, '„') !== count(text, '“') || /[”«»]/.test(text),
  en: (text: string) => count(text, '“') !== count(text, '”') || text.includes(' …'),
  es: (text: string) =>
    count(text, '¿') !== count(text, '?') || count(text, '«') !== count(text, '»') || /[“”]| …/.test(text),
  fr: (text: string) => /(?<!\u202f|\( )[:;!?»]|«(?!\u202f)|[“”]| …/.test(text),
  nl: (text: string) => count(text, '“') !== count(text, '”') || text.includes(' …'),
}

const count = (text: string, mark: string) => text.split(mark).length - 1

const all = Object.keys(languages) as Language[]

/** The keys of the texts of a language that have a fault. */
async function keysOf(language: Language, isFault: (text: string) => boolean): Promise<string[]> {
  const { default: messages } = await languages[language].load()
  return Object.entries(messages)
    .filter(([, text]) => isFault(text))
    .map(([key]) => key)
}

test.each(all)('%s addresses people formally', async (language) => {
  expect(await keysOf(language, (text) => familiar[language]?.test(text) ?? false)).toEqual([])
})

test.each(all)('%s uses one word per term', async (language) => {
  expect(await keysOf(language, (text) => others[language].test(text))).toEqual([])
})

test.each(all)('%s has the punctuation that its readers expect', async (language) => {
  const isWrong = (text: string) => misset[language](text) || /["']|\.\.\.|^\s|\s$| {2}/.test(text)
  expect(await keysOf(language, isWrong)).toEqual([])
})
