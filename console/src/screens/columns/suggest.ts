import { wordsStep, type Step } from './draft'

/** Something in the values of a column that a transformation removes or converts. */
type Finding = { kinds: string[]; find: (text: string) => Step | null }

const replace = (pattern: RegExp, by: string) => (text: string) => {
  const old = pattern.exec(text)?.[0]
  return old ? ({ op: 'replace', old, new: by } as const) : null
}
const strip = (pattern: RegExp, what: 'currency' | 'unit') => (text: string) =>
  pattern.test(text) ? ({ op: 'strip', what } as const) : null

/** The date in numbers of a text that has only one reading, as a pattern. */
function datePattern(text: string): Step | null {
  const parts = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})$/.exec(text.trim())
  if (!parts) return null
  const [, first, separator, second, year] = parts
  const isDayFirst = Number(first) > 12
  if (isDayFirst === Number(second) > 12) return null
  const order = isDayFirst ? ['D', 'M'] : ['M', 'D']
  return { op: 'date', pattern: [...order, year!.length === 4 ? 'YYYY' : 'YY'].join(separator) }
}

const findings: Finding[] = [
  { kinds: ['email'], find: replace(/ ?[([](?:at|ät)[)\]] ?/i, '@') },
  { kinds: ['email'], find: replace(/^mailto:/i, '') },
  { kinds: ['integer', 'decimal'], find: strip(/[€$£¥₹]|\b(?:EUR|USD|GBP|CHF)\b/, 'currency') },
  { kinds: ['integer', 'decimal'], find: strip(/^[\d.,'\s-]*\d\s*(?:(?!eur|usd|gbp|chf)[a-z]{1,3}|%)$/i, 'unit') },
  { kinds: ['date', 'timestamp'], find: datePattern },
  {
    kinds: ['text'],
    find: replace(/^(?:Dr|Prof|Mr|Mrs|Ms)\.? |^(?:Dipl\.-Ing\.|Herr|Frau|Mme|Señor|Señora) /, ''),
  },
]

/** Transformations that fit these values of a field of this kind, those that fit most values first. */
export function suggestedSteps(kind: string, texts: string[]): Step[] {
  const counts = new Map<string, number>()
  for (const text of texts)
    for (const { kinds, find } of findings) {
      const step = kinds.includes(kind) && find(text)
      if (!step) continue
      const key = JSON.stringify(step)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  return [...counts.entries()].sort(([, a], [, b]) => b - a).map(([key]) => JSON.parse(key) as Step)
}

/** The transformation that a correction of these values starts with: the best suggestion, else the one for the error. Its arguments are empty. */
export function firstStep(kind: string, code: string, texts: string[]): Step {
  const [best] = suggestedSteps(kind, texts)
  if (best) return best
  if (code === 'CELL_REQUIRED') return { op: 'default' }
  if (code === 'CELL_ENUM' || code === 'CELL_BOOLEAN' || code === 'CELL_UNRESOLVED') return wordsStep(texts)
  return code === 'CELL_DATE' ? { op: 'date' } : { op: 'replace' }
}
