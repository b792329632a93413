import type { Schema } from '@/api/client'

type Summary = Schema<'ChangesSummary'>

/** An exceeded approval limit: the number of created or updated entities, or of changes to a field, and the limit. */
export type Surpassed = { what: 'created' | 'updated' | 'field'; field: string; count: number; limit: string }

/**
 * The approval limits that a plan exceeds, given the number of rows of its import. A deletion counts as created and
 * as updated.
 */
export function surpassed(guards: Schema<'Guards'> | null, { tables, fields }: Summary, rows: number): Surpassed[] {
  const beyond = (
    what: Surpassed['what'],
    field: string,
    count: number,
    limit: Schema<'Guard'> | undefined,
  ): Surpassed[] =>
    limit !== undefined && count > allowed(limit, rows) ? [{ what, field, count, limit: String(limit) }] : []
  const total = (kind: 'created' | 'updated') => tables.reduce((sum, table) => sum + table[kind] + table.deleted, 0)
  return [
    ...beyond('created', '', total('created'), guards?.created),
    ...beyond('updated', '', total('updated'), guards?.updated),
    ...Object.entries(guards?.fields ?? {}).flatMap(([field, limit]) =>
      beyond('field', field, fields.find((each) => each.field === field)?.changed ?? 0, limit),
    ),
  ]
}

/** The absolute limit of a guard, which is a number or a percentage of all rows. */
function allowed(limit: Schema<'Guard'>, rows: number): number {
  const text = String(limit)
  return text.endsWith('%') ? (parseFloat(text) / 100) * rows : Number(text)
}
