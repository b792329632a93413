import type { FieldSummary } from '@/api/changes'

/** How conspicuous the changes of a field are: the share of values that are lost, or that move by more than half. */
export function suspicion({ changed, emptied, rises, falls }: FieldSummary): number {
  const far = [...rises, ...falls].filter(({ moreThanPercent }) => moreThanPercent === 50).reduce((sum, { count }) => sum + count, 0)
  return changed === 0 ? 0 : (emptied + far) / changed
}

/** The fields with the most conspicuous first, then those that change most. */
export const outliersFirst = (fields: FieldSummary[]): FieldSummary[] => [...fields].sort((a, b) => suspicion(b) - suspicion(a) || b.changed - a.changed)
