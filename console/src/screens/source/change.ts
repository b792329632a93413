import type { Schema } from '@/api/client'
import type { ImportJob } from '@/api/imports'

export type SourceChange = Schema<'SourceChange'>
type Preview = Schema<'Preview'>

/** The reading options after selecting a row as the header: as many header rows as before, or as many as fit above it. */
export function headerAt(row: number, rows: number): SourceChange {
  return { headerRow: row, headerRows: Math.min(rows, row) }
}

/** The number of skipped rows if the data ends before this row; blank rows do not count. */
export function footerFrom(row: number, lastRows: Preview['lastRows']): SourceChange {
  return { skipFooterRows: lastRows?.filter(({ number }) => number >= row).length ?? 0 }
}

/** The rows to show: the first ones, and the last ones that are not among them. */
export function shownRows(preview: Preview): { head: Preview['rows']; tail: Preview['rows'] } {
  const end = preview.rows.at(-1)?.number ?? 0
  return { head: preview.rows, tail: preview.lastRows?.filter(({ number }) => number > end) ?? [] }
}

/** The number of columns of the widest row. */
export const widthOf = (rows: Preview['rows']): number =>
  rows.reduce((widest, { cells }) => Math.max(widest, cells.length), 1)

const sure = ['headerRow', 'encoding', 'delimiter', 'quote'] as const

/** A change to reading options that reads the file as before, which asks about its columns again; null if all are set already. */
export function sameReading({ options, detected }: Pick<ImportJob, 'options' | 'detected'>): SourceChange | null {
  const name = sure.find((each) => detected?.[each] && (options as SourceChange)[each] === undefined)
  return name ? { [name]: detected![name] } : null
}
