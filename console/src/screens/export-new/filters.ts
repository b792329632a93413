import type { Schema } from '@/api/client'
import type { ExportFilters } from '@/api/exports'

type Field = Schema<'Field'>

/** A filter as edited: alternative values, or a range. */
export type FilterRow = { column: string; values: string; from: string; before: string }

/** An empty filter of a column. */
export const emptyRow = (column: string): FilterRow => ({ column, values: '', from: '', before: '' })

/** Whether a field is filtered by a range; other fields are filtered by values. */
export const isRange = ({ kind }: Field): boolean =>
  kind === 'integer' || kind === 'decimal' || kind === 'date' || kind === 'timestamp'

/** The options of a field with few values. */
export function choicesOf({ kind, values }: Field): string[] | null {
  return kind === 'boolean' ? ['true', 'false'] : kind === 'enum' ? (values ?? []) : null
}

/** The filters for the API, with values separated by commas. Empty filters are omitted. */
export function toFilters(rows: FilterRow[], fields: Field[], context: string | null): ExportFilters {
  const filters: ExportFilters = context ? { context_id: Number(context) } : {}
  for (const { column, values, from, before } of rows) {
    const field = fields.find((each) => each.column === column)
    if (!field) continue
    if (isRange(field)) {
      if (from.trim() || before.trim())
        filters[column] = { ...(from.trim() && { from: from.trim() }), ...(before.trim() && { before: before.trim() }) }
      continue
    }
    const each = values
      .split(',')
      .map((value) => value.trim())
      .filter(Boolean)
    if (each.length > 0) filters[column] = each.length === 1 ? each[0]! : each
  }
  return filters
}
