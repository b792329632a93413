import { ListFilter, X } from 'lucide-react'
import type { Schema } from '@/api/client'
import { useText } from '@/i18n/messages'
import { Bar, Button, Field, Select, Stack } from '@/ui'
import css from './NewExport.module.css'
import { choicesOf, emptyRow, isRange, type FilterRow } from './filters'

type FiltersProps = { type: Schema<'ImportType'>; rows: FilterRow[]; onRows: (rows: FilterRow[]) => void }

/** Which rows the file has. Each column is narrowed at most once. */
export function Filters({ type, rows, onRows }: FiltersProps) {
  const text = useText()
  const free = type.fields.filter(({ column, kind }) => kind !== 'list' && !rows.some((row) => row.column === column))
  const change = (column: string, filter: Partial<FilterRow>) =>
    onRows(rows.map((row) => (row.column === column ? { ...row, ...filter } : row)))
  return (
    <Stack>
      {rows.map((row) => {
        const field = type.fields.find(({ column }) => column === row.column)!
        return (
          <div key={row.column} className={css.filter} role="group" aria-label={field.title}>
            <Bar fields>
              <Narrowing field={field} row={row} onChange={(filter) => change(row.column, filter)} />
            </Bar>
            <Button
              look="quiet"
              aria-label={text('export.filter.drop', { field: field.title })}
              onPress={() => onRows(rows.filter((each) => each !== row))}
            >
              <X aria-hidden />
            </Button>
          </div>
        )
      })}
      {free.length > 0 && (
        <div className={css.add}>
          <ListFilter aria-hidden />
          <Select
            key={rows.length}
            label={text('export.filter.add')}
            labelHidden
            placeholder={text('export.filter.add')}
            value={null}
            onChange={(column) => onRows([...rows, emptyRow(column)])}
            choices={free.map(({ column, title }) => ({ id: column, name: title }))}
          />
        </div>
      )}
    </Stack>
  )
}

function Narrowing({
  field,
  row,
  onChange,
}: {
  field: Schema<'Field'>
  row: FilterRow
  onChange: (filter: Partial<FilterRow>) => void
}) {
  const text = useText()
  const choices = choicesOf(field)
  if (isRange(field)) {
    const hint = field.kind === 'date' || field.kind === 'timestamp' ? text('export.filter.date') : undefined
    return (
      <>
        <Field
          label={text('export.filter.from', { field: field.title })}
          placeholder={hint}
          value={row.from}
          onChange={(from) => onChange({ from })}
        />
        <Field
          label={text('export.filter.before', { field: field.title })}
          placeholder={hint}
          value={row.before}
          onChange={(before) => onChange({ before })}
        />
      </>
    )
  }
  if (choices)
    return (
      <Select
        label={field.title}
        placeholder={text('export.filter.choose')}
        value={row.values || null}
        onChange={(values) => onChange({ values })}
        choices={choices.map((id) => ({ id, name: id }))}
      />
    )
  return (
    <Field
      label={field.title}
      placeholder={text('export.filter.values')}
      value={row.values}
      onChange={(values) => onChange({ values })}
    />
  )
}
