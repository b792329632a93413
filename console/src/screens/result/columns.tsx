import type { Schema } from '@/api/client'
import type { GridColumn } from '@/grid/Grid'
import type { MessageKey } from '@/i18n/messages'
import { Badge, type Tone } from '@/ui'
import type { Row } from './queries'

type Text = (key: MessageKey) => string

const tones: Record<Row['outcome'], Tone> = {
  CREATED: 'good',
  UPDATED: 'good',
  UNCHANGED: 'neutral',
  SKIPPED: 'neutral',
  ERROR: 'bad',
  UNDONE: 'good',
  KEPT_LATER_EDIT: 'wait',
  KEPT_REFERENCED: 'wait',
  KEPT_KEY_TAKEN: 'wait',
}

/** The columns of the grid: row number, outcome, and the mapped fields. The ids of the first two start with #, which no field name does. */
export function gridColumns(
  fields: Schema<'Field'>[],
  sample: Row | null | undefined,
  text: Text,
): GridColumn<Row | null>[] {
  const made = new Set(sample?.values.map(({ field }) => field))
  const isCorrected = (row: Row, field: string) => row.values.some((value) => value.field === field && value.corrected)
  const faultOf = (row: Row | null, field: string) => row?.open && row.faults.some((fault) => fault.field === field)
  return [
    { id: '#row', title: text('result.row'), width: 96, align: 'end', cell: (row) => row?.rowNumber },
    {
      id: '#outcome',
      title: text('result.outcome'),
      width: 148,
      cell: (row) => row && <Badge tone={outcomeOf(row).tone}>{text(outcomeOf(row).name)}</Badge>,
    },
    ...fields
      .filter(({ name }) => made.has(name))
      .map((field): GridColumn<Row | null> => ({
        id: field.name,
        title: field.title,
        width: field.kind === 'text' || field.kind === 'reference' ? 170 : field.kind === 'email' ? 210 : 140,
        cell: (row) => shownText(row, field),
        hint: (row) => (row?.open ? row.faults.find((fault) => fault.field === field.name)?.message : undefined),
        tone: (row) => (row && isCorrected(row, field.name) ? 'good' : faultOf(row, field.name) ? 'bad' : undefined),
      })),
  ]
}

/** The text of a cell: the resolved name if the cell is valid, else the original text. */
export function shownText(row: Row | null | undefined, { name, kind }: Schema<'Field'>): string {
  const value = row?.values.find(({ field }) => field === name)
  return (kind === 'text' && value?.code === null && value.typed) || (value?.read ?? '')
}

/** The field of a column; null if it has none. */
export function fieldOf(columns: GridColumn<Row | null>[], place: number): string | null {
  const id = columns[place]?.id
  return id && !id.startsWith('#') ? id : null
}

/** The index of the first column with an error, or of the first field. */
export const faultColumn = (columns: GridColumn<Row | null>[], row: Row | null | undefined): number =>
  Math.max(0, row?.open ? columns.findIndex(({ id }) => row.faults.some(({ field }) => field === id)) : 0)

/** The outcome of a row, or that of its retry. */
export function outcomeOf(row: Row): { name: MessageKey; tone: Tone } {
  const { retry, open, outcome } = row
  if (outcome === 'ERROR' && !open && retry?.outcome && retry.outcome !== 'ERROR')
    return { name: `result.outcome.${retry.outcome}`, tone: tones[retry.outcome] }
  if (open && row.values.some(({ corrected }) => corrected)) return { name: 'result.outcome.CORRECTED', tone: 'wait' }
  return { name: `result.outcome.${outcome}`, tone: tones[outcome] }
}
