import type { ReactNode } from 'react'
import css from './Table.module.css'

/** A column of a table and its cell renderer. */
export type Column<Entry> = {
  id: string
  title: ReactNode
  cell: (entry: Entry) => ReactNode
  /** `end` for numbers. */
  align?: 'start' | 'end'
  /** Hidden below a screen width: `wide` 1080 px, `medium` 760 px. */
  from?: 'medium' | 'wide'
  /** CSS width. Fixed widths align tables below each other; other columns share the remaining space. */
  width?: string
}

/** A table for a page of entries. Rows of files are shown by the grid. */
export function Table<Entry>({
  label,
  columns,
  entries,
  rowId,
}: {
  label: string
  columns: Column<Entry>[]
  entries: Entry[]
  rowId: (entry: Entry) => string
}) {
  return (
    <div className={css.frame}>
      <table
        role="table"
        className={`${css.table} ${columns.some(({ width }) => width) ? css.fixed : ''}`}
        aria-label={label}
      >
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th
                key={column.id}
                role="columnheader"
                scope="col"
                className={classes(column)}
                style={{ width: column.width }}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {entries.map((entry) => (
            <tr key={rowId(entry)} role="row">
              {columns.map((column) => (
                <td
                  key={column.id}
                  role="cell"
                  data-title={typeof column.title === 'string' ? column.title : undefined}
                  className={classes(column)}
                >
                  {column.cell(entry)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function classes<Entry>({ align, from }: Column<Entry>): string {
  return [align === 'end' && css.end, from && css[from]].filter(Boolean).join(' ')
}
