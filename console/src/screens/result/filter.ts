import type { Schema } from '@/api/client'

/** The filters of the rows; `open` means failed rows that are not fixed yet. */
export const shows = ['all', 'open', 'CREATED', 'UPDATED', 'UNCHANGED', 'SKIPPED', 'ERROR'] as const
export type RowFilter = { show: (typeof shows)[number]; field: string; code: string; text: string }

/** Parses the filter from the address. Invalid parts are ignored. */
export function readFilter(query: URLSearchParams): RowFilter {
  return {
    show: shows.find((each) => each === query.get('show')) ?? 'all',
    field: query.get('field') ?? '',
    code: query.get('code') ?? '',
    text: query.get('q') ?? '',
  }
}

/** Writes the filter to the address. Defaults are omitted. */
export function writeFilter({ show, field, code, text }: RowFilter): URLSearchParams {
  const given = Object.entries({ show: show === 'all' ? '' : show, field, code, q: text }).filter(([, value]) => value)
  return new URLSearchParams(given)
}

/** Whether all rows are shown. */
export const isWhole = ({ show, field, code, text }: RowFilter): boolean => show === 'all' && !field && !code && !text

/** Groups errors by field and code, largest first as returned by the API. */
export const faultGroups = (counts: Schema<'RowCounts'>['counts']) =>
  counts.filter(({ outcome, code }) => outcome === 'ERROR' && code !== '')

/** The error codes that have a text. */
export const faultCodes = [
  'CELL_DATE',
  'CELL_NUMBER',
  'CELL_REQUIRED',
  'CELL_EMAIL',
  'CELL_ENUM',
  'CELL_BOOLEAN',
  'CELL_UNRESOLVED',
  'CELL_TRANSFORM',
  'CELL_RANGE',
  'CELL_PATTERN',
  'CELL_TOO_SMALL',
  'CELL_TOO_LARGE',
  'CELL_TOO_LONG',
  'CELL_FORMULA',
  'CELL_ERROR',
  'CELL_UUID',
  'CELL_NUL',
  'CELL_LIST',
  'CELL_NESTED',
  'CELL_PRECISION',
  'ROW_WIDTH',
  'ROW_QUOTE',
  'FIELD_TOO_LARGE',
  'ROW_DUPLICATE',
  'ROW_REJECTED',
  'ROW_UNDELIVERED',
  'ERRORS_NOT_STORED',
  'PLAN_STALE',
  'ALREADY_EXISTS',
  'IDENTITY_AMBIGUOUS',
  'ENTITY_NOT_FOUND',
  'REFERENCE_NOT_FOUND',
  'KEY_AMBIGUOUS',
  'REFUSED_BY_TRIGGER',
  'CHANGED_BY_TRIGGER',
  'VALUE_ROUNDED',
] as const
