import type { Schema } from '@/api/client'
import type { GridColumn } from '@/grid/Grid'
import type { MessageKey } from '@/i18n/messages'
import { Badge, type Tone } from '@/ui'
import type { Row } from './queries'

type Text = (key: MessageKey) => string

const tones: Record<Row['outcome'], Tone> = {
  CREATED: 'good', UPDATED: 'good', UNCHANGED: 'neutral', SKIPPED: 'neutral', ERROR: 'bad', UNDONE: 'good', KEPT_LATER_EDIT: 'wait', KEPT_REFERENCED: 'wait', KEPT_KEY_TAKEN: 'wait',
}

/** The columns of the grid: the row's number, what became of it, and the fields that the file makes. The ids of the first two begin with #, which no field's does. */
export function gridColumns(fields: Schema<'Field'>[], sample: Row | null | undefined, text: Text): GridColumn<Row | null>[] {
  const made = new Set(sample?.values.map(({ field }) => field))
  const isCorrected = (row: Row, field: string) => row.values.some((value) => value.field === field && value.corrected)
  const faultOf = (row: Row | null, field: string) => row?.open && row.faults.some((fault) => fault.field === field)
  return [
    { id: '#row', title: text('result.row'), width: 96, align: 'end', cell: (row) => row?.rowNumber },
    { id: '#outcome', title: text('result.outcome'), width: 148, cell: (row) => row && <Badge tone={standing(row).tone}>{text(standing(row).name)}</Badge> },
    ...fields.filter(({ name }) => made.has(name)).map((field): GridColumn<Row | null> => ({
      id: field.name, title: field.title, width: field.kind === 'text' || field.kind === 'reference' ? 170 : field.kind === 'email' ? 210 : 140,
      cell: (row) => shownText(row, field),
      tone: (row) => (row && isCorrected(row, field.name) ? 'good' : faultOf(row, field.name) ? 'bad' : undefined),
    })),
  ]
}

/** What stands in a cell: what a text is made into where that is right, as a name that is a part of its cell; else what was read. */
export function shownText(row: Row | null | undefined, { name, kind }: Schema<'Field'>): string {
  const value = row?.values.find(({ field }) => field === name)
  return (kind === 'text' && value?.code === null && value.typed) || (value?.read ?? '')
}

/** The field of a column; null where it shows none. */
export function fieldOf(columns: GridColumn<Row | null>[], place: number): string | null {
  const id = columns[place]?.id
  return id && !id.startsWith('#') ? id : null
}

/** The place of the first column in which a row is wrong yet; of a row that is not, that of the first one. */
export const faultColumn = (columns: GridColumn<Row | null>[], row: Row | null | undefined): number =>
  Math.max(0, row?.open ? columns.findIndex(({ id }) => row.faults.some(({ field }) => field === id)) : 0)

/** What became of a row in a word: what a later attempt made of it, where one has. */
export function standing(row: Row): { name: MessageKey; tone: Tone } {
  const { retry, open, outcome } = row
  if (outcome === 'ERROR' && !open && retry?.outcome && retry.outcome !== 'ERROR') return { name: `result.outcome.${retry.outcome}`, tone: tones[retry.outcome] }
  if (open && row.values.some(({ corrected }) => corrected)) return { name: 'result.outcome.CORRECTED', tone: 'wait' }
  return { name: `result.outcome.${outcome}`, tone: tones[outcome] }
}
