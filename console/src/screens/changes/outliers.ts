import type { FieldSummary } from '@/api/changes'

/** A score for how unusual the changes of a field are: the share of values that are cleared or that change by more than half. */
export function suspicion({ changed, emptied, rises, falls }: FieldSummary): number {
  const far = [...rises, ...falls]
    .filter(({ moreThanPercent }) => moreThanPercent === 50)
    .reduce((sum, { count }) => sum + count, 0)
  return changed === 0 ? 0 : (emptied + far) / changed
}

/** Sorts fields by that score, then by the number of changes. */
export const outliersFirst = (fields: FieldSummary[]): FieldSummary[] =>
  [...fields].sort((a, b) => suspicion(b) - suspicion(a) || b.changed - a.changed)
