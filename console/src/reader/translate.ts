import type { Language } from '@/i18n/languages'
import type { Fault, Look } from './look'

/**
 * The server's catalogue of messages about files: a block for each English text, with an indented line for each language.
 * shared/output/translation explains the verbs of the values.
 */
type Catalogue = {
  exact: Map<string, string>
  patterns: { matches: RegExp; verbs: Verb[]; fixed: number; text: string }[]
}
type Verb = { kind: string; index: number }

const verbs = /%(?:\[(\d)\])?(?:\.\d+)?([sdqml])/g

/** Translates the messages of a preview, which the reader writes in English. Unknown messages stay in English. */
export async function translateLook(found: Look, language: Language): Promise<Look> {
  const missing = found.head?.missing
  if (language === 'en' || (!found.fault && !missing)) return found
  const { default: text } = await import('../../../shared/output/translation/files.txt?raw')
  const catalogue = parse(text, language)
  const translated = (fault: Fault): Fault => ({ ...fault, message: translate(catalogue, fault.message, language) })
  return {
    ...(found.fault && { fault: translated(found.fault) }),
    ...(found.head && { head: { ...found.head, ...(missing && { missing: translated(missing) }) } }),
  }
}

function parse(text: string, language: string): Catalogue {
  const found: Catalogue = { exact: new Map(), patterns: [] }
  for (const block of text.split('\n\n')) {
    const [english = '', ...lines] = block.trimEnd().split('\n')
    const line = lines.find((one) => one.startsWith(`  ${language} `))
    if (line) add(found, english, line.slice(language.length + 3))
  }
  found.patterns.sort((a, b) => b.fixed - a.fixed)
  return found
}

function add(found: Catalogue, english: string, text: string): void {
  const verbsOf = [...english.matchAll(verbs)]
  if (verbsOf.length === 0) {
    found.exact.set(english, text)
    return
  }
  const kinds = verbsOf.map(([, , kind]) =>
    kind === 'd' ? '(-?\\d+)' : kind === 'q' ? '("(?:[^"\\\\]|\\\\.)*")' : '(.+?)',
  )
  const literals = english.split(/%(?:\[\d\])?(?:\.\d+)?[sdqml]/)
  const source = literals.map((literal, i) => escape(literal) + (kinds[i] ?? '')).join('')
  found.patterns.push({
    matches: new RegExp(`^${source}$`, 's'),
    verbs: verbsIn(text),
    fixed: literals.join('').length,
    text,
  })
}

const escape = (literal: string) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The verbs of a text with the positions of their values, from 0. */
function verbsIn(text: string): Verb[] {
  let next = 0
  return [...text.matchAll(verbs)].map(([, index, kind = 's']) => {
    const at = index ? Number(index) - 1 : next
    next = at + 1
    return { kind, index: at }
  })
}

function translate(catalogue: Catalogue, message: string, language: string): string {
  const whole = catalogue.exact.get(message)
  if (whole !== undefined) return whole
  for (const pattern of catalogue.patterns) {
    const values = pattern.matches.exec(message)?.slice(1)
    if (!values) continue
    let at = 0
    return pattern.text.replace(verbs, () => {
      const verb = pattern.verbs[at++]
      const value = values[verb?.index ?? 0] ?? ''
      if (verb?.kind === 'm') return translate(catalogue, value, language)
      return verb?.kind === 'q' ? quote(value, language) : value
    })
  }
  return message
}

/** Replaces the quotation marks of a value by those of the language. */
function quote(value: string, language: string): string {
  const [open, close] = marks[language] ?? ['“', '”']
  try {
    return open + String(JSON.parse(value)) + close
  } catch {
    return value
  }
}

const marks: Record<string, [string, string]> = { de: ['„', '“'], fr: ['«\u202f', '\u202f»'], es: ['«', '»'] }
