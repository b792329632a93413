import { useQueries, useQuery } from '@tanstack/react-query'
import type { Schema } from '@/api/client'
import { typesQuery, type ImportJob } from '@/api/imports'
import { shownText } from '../result/columns'
import { blockQuery, blockSize, type Row } from '../result/queries'

/** The file's row of a change: its name, and its values. */
export type ChangedRow = { name: string; values: { title: string; value: string }[] }

/** The number of values that name a row. */
const named = 2

/** The rows of the file that made these changes, by number, as far as the file is still stored. Rows of an undo are not those of a file. */
export function useChangedRows(
  job: ImportJob,
  changes: Schema<'Change'>[],
): { rows: Map<number, ChangedRow>; isLoading: boolean } {
  const { data: types = [], isLoading: areTypesLoading } = useQuery(typesQuery)
  const fields = types.find(({ name }) => name === job.importType)?.fields ?? []
  const numbers = job.undoOf ? [] : changes.flatMap(({ rowNumber }) => rowNumber ?? [])
  const blocks = [...new Set(numbers.map((number) => Math.floor((number - 1) / blockSize)))]
  const answers = useQueries({
    queries: blocks.map((block) => ({ ...blockQuery(job.identifier, block * blockSize), retry: false })),
  })
  const rows = answers.flatMap(({ data }) => (data ? [...data] : []))
  return {
    rows: new Map(rows.map(([number, row]) => [number, changedRow(row, fields)])),
    isLoading: areTypesLoading || answers.some(({ isLoading }) => isLoading),
  }
}

/** A row with its values; it is named by its first texts. */
export function changedRow(row: Row, fields: Schema<'Field'>[]): ChangedRow {
  const values = fields
    .map((field) => ({ title: field.title, kind: field.kind, value: shownText(row, field) }))
    .filter(({ value }) => value !== '')
  const naming = values.filter(({ kind }) => kind === 'text' || kind === 'email').slice(0, named)
  return { name: naming.map(({ value }) => value).join(', '), values }
}
