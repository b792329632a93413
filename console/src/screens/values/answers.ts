import type { Schema } from '@/api/client'

type Value = Schema<'CellMapping'>
type Candidate = Schema<'Candidate'>
export type Answer = Schema<'CellAnswer'>

/** How similar a candidate has to be to be taken without a look at each, 0 to 1. */
export const nearly = 0.75

/** Whether nothing is said of a value yet. */
export const isOpen = (value: Value): boolean => value.status === 'UNRESOLVED'

/** The place of the next open value after a place, from the beginning again after the last; the place itself where all others are answered. */
export function nextOpen(values: Value[], after: number): number {
  const open = values.flatMap((value, place) => (isOpen(value) && place !== after ? [place] : []))
  return open.find((place) => place > after) ?? open[0] ?? after
}

/** The answer that a value stands for a candidate. */
export const standsFor = (id: number, candidate: Candidate): Answer => (candidate.value !== undefined ? { id, targetValue: candidate.value } : { id, targetEntityId: candidate.id! })

/** The answers by the rule that open values stand for what they are very similar to. */
export const bySimilarity = (values: Value[]): Answer[] =>
  values.filter(isOpen).flatMap((value) => {
    const best = value.suggestions[0]
    return best && (best.score ?? 0) >= nearly ? [standsFor(value.id, best)] : []
  })

/** What a value stands for, as it is to be shown: a name, or what becomes of it. */
export function standing(value: Value): { is: 'open' | 'create' | 'empty' | 'ignored' | 'value' | 'entity'; name?: string } {
  if (isOpen(value)) return { is: 'open' }
  if (value.create) return { is: 'create' }
  if (value.empty) return { is: 'empty' }
  if (value.targetValue !== null) return { is: 'value', name: value.targetValue }
  if (value.targetEntityId === null) return { is: 'ignored' }
  const name = value.suggestions.find(({ id }) => id === value.targetEntityId)?.displayName
  return name === undefined ? { is: 'entity' } : { is: 'entity', name }
}
