import type { Schema } from '@/api/client'

type Value = Schema<'CellMapping'>
type Candidate = Schema<'Candidate'>
export type Answer = Schema<'CellAnswer'>

/** Minimum similarity for accepting a suggestion without review, from 0 to 1. */
export const nearly = 0.75

/** Whether a value is unmatched. */
export const isOpen = (value: Value): boolean => value.status === 'UNRESOLVED'

/** The index of the next unmatched value, starting again at the beginning; the same index if all others are matched. */
export function nextOpen(values: Value[], after: number): number {
  const open = values.flatMap((value, place) => (isOpen(value) && place !== after ? [place] : []))
  return open.find((place) => place > after) ?? open[0] ?? after
}

/** The decision that matches a value with a candidate. */
export const standsFor = (id: number, candidate: Candidate): Answer =>
  candidate.value !== undefined ? { id, targetValue: candidate.value } : { id, targetEntityId: candidate.id! }

/** Whether a candidate is what the last imports had in its place. */
export const isPast = ({ pastAnswer: past }: Value, candidate: Candidate): boolean =>
  past !== undefined &&
  (candidate.value !== undefined
    ? candidate.value === past.targetValue
    : candidate.id !== undefined && candidate.id === past.targetEntityId)

/** Decisions that accept the very similar suggestions of all unmatched values. */
export const bySimilarity = (values: Value[]): Answer[] =>
  values.filter(isOpen).flatMap((value) => {
    const best = value.suggestions[0]
    return best && (best.score ?? 0) >= nearly ? [standsFor(value.id, best)] : []
  })

/** The match of a value for display: a name or a state. */
export function matchOf(value: Value): {
  is: 'open' | 'create' | 'empty' | 'ignored' | 'value' | 'entity'
  name?: string
} {
  if (isOpen(value)) return { is: 'open' }
  if (value.create) return { is: 'create' }
  if (value.empty) return { is: 'empty' }
  if (value.targetValue !== null) return { is: 'value', name: value.targetValue }
  if (value.targetEntityId === null) return { is: 'ignored' }
  const name = value.suggestions.find(({ id }) => id === value.targetEntityId)?.displayName
  return name === undefined ? { is: 'entity' } : { is: 'entity', name }
}
