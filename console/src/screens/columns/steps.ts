import { wordsStep, type Step } from './draft'

/** The kinds of transformations, the most common first. */
export const kinds = [
  'split',
  'title',
  'upper',
  'lower',
  'trim',
  'strip',
  'replace',
  'map',
  'extract',
  'date',
  'default',
  'convert',
] as const

/** A new transformation. Its arguments are empty, so that it changes nothing before they are set; one that replaces values starts with the sample values. */
export function newStep(op: string, seen: string[]): Step {
  if (op === 'map') return wordsStep(seen)
  return { op: op as (typeof kinds)[number], ...(op === 'split' && { separator: ' ' }) }
}
