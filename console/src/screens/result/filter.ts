import type { Schema } from '@/api/client'

/** What rows are narrowed to: `open` are those in error that nobody has put right. */
export const shows = ['all', 'open', 'CREATED', 'UPDATED', 'UNCHANGED', 'SKIPPED', 'ERROR'] as const
export type RowFilter = { show: (typeof shows)[number]; field: string; code: string; text: string }

/** The filter of an address. What it has wrong counts for nothing. */
export function readFilter(query: URLSearchParams): RowFilter {
  return { show: shows.find((each) => each === query.get('show')) ?? 'all', field: query.get('field') ?? '', code: query.get('code') ?? '', text: query.get('q') ?? '' }
}

/** An address with a filter; what is not filtered by is left out. */
export function writeFilter({ show, field, code, text }: RowFilter): URLSearchParams {
  const given = Object.entries({ show: show === 'all' ? '' : show, field, code, q: text }).filter(([, value]) => value)
  return new URLSearchParams(given)
}

/** Whether all rows are shown. */
export const isWhole = ({ show, field, code, text }: RowFilter): boolean => show === 'all' && !field && !code && !text

/** Faults that are alike: of one field and one code. The largest come first, as the API has them. */
export const faultGroups = (counts: Schema<'RowCounts'>['counts']) => counts.filter(({ outcome, code }) => outcome === 'ERROR' && code !== '')

/** The codes of rows in error that there are words for. */
export const faultCodes = [
  'CELL_DATE', 'CELL_NUMBER', 'CELL_REQUIRED', 'CELL_EMAIL', 'CELL_ENUM', 'CELL_BOOLEAN', 'CELL_UNRESOLVED', 'CELL_TRANSFORM', 'CELL_RANGE', 'CELL_PATTERN', 'CELL_TOO_SMALL', 'CELL_TOO_LARGE',
  'CELL_TOO_LONG', 'CELL_FORMULA', 'CELL_ERROR', 'CELL_UUID', 'CELL_NUL', 'CELL_LIST', 'CELL_NESTED', 'CELL_PRECISION', 'ROW_WIDTH', 'ROW_DUPLICATE', 'ROW_REJECTED', 'ROW_UNDELIVERED', 'PLAN_STALE',
  'ALREADY_EXISTS', 'IDENTITY_AMBIGUOUS', 'REFERENCE_NOT_FOUND',
] as const

/** The step that most likely puts faults of a code right; null where none is likelier than another. */
export function likelyStep(code: string): 'date' | 'replace' | 'map' {
  if (code === 'CELL_DATE') return 'date'
  return code === 'CELL_NUMBER' ? 'replace' : 'map'
}
