import type { Schema } from '@/api/client'

type Summary = Schema<'ChangesSummary'>

/** What goes beyond a guard: how many entities are made or changed, or get another value in a field, and how many may without approval. */
export type Surpassed = { what: 'created' | 'updated' | 'field'; field: string; count: number; limit: string }

/** The guards that a plan goes beyond, of whose import these are all rows. */
export function surpassed(guards: Schema<'Guards'> | null, { tables, fields }: Summary, rows: number): Surpassed[] {
  const beyond = (what: Surpassed['what'], field: string, count: number, limit: Schema<'Guard'> | undefined): Surpassed[] =>
    limit !== undefined && count > allowed(limit, rows) ? [{ what, field, count, limit: String(limit) }] : []
  const total = (kind: 'created' | 'updated') => tables.reduce((sum, table) => sum + table[kind], 0)
  return [
    ...beyond('created', '', total('created'), guards?.created),
    ...beyond('updated', '', total('updated'), guards?.updated),
    ...Object.entries(guards?.fields ?? {}).flatMap(([field, limit]) => beyond('field', field, fields.find((each) => each.field === field)?.changed ?? 0, limit)),
  ]
}

/** How many a guard lets through: a number, or a share of all rows. */
function allowed(limit: Schema<'Guard'>, rows: number): number {
  const text = String(limit)
  return text.endsWith('%') ? (parseFloat(text) / 100) * rows : Number(text)
}
