import type { Schema } from '@/api/client'

export type SourceChange = Schema<'SourceChange'>
type Preview = Schema<'Preview'>

/** What the choice of a row as the header says: with as many rows as before, or as many as fit above it. */
export function headerAt(row: number, rows: number): SourceChange {
  return { headerRow: row, headerRows: Math.min(rows, row) }
}

/** How many rows at the end are left out if the data ends before this one; rows that are blank are none. */
export function footerFrom(row: number, lastRows: Preview['lastRows']): SourceChange {
  return { skipFooterRows: lastRows?.filter(({ number }) => number >= row).length ?? 0 }
}

/** The rows that are shown: those from the beginning, and the last ones that are none of them. */
export function shownRows(preview: Preview): { head: Preview['rows']; tail: Preview['rows'] } {
  const end = preview.rows.at(-1)?.number ?? 0
  return { head: preview.rows, tail: preview.lastRows?.filter(({ number }) => number > end) ?? [] }
}

/** How many columns the widest row has. */
export const widthOf = (rows: Preview['rows']): number => rows.reduce((widest, { cells }) => Math.max(widest, cells.length), 1)
