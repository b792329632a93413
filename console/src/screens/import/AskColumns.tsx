import { useQuery } from '@tanstack/react-query'
import { typesQuery, type ImportJob } from '@/api/imports'
import type { Schema } from '@/api/client'
import { Failure } from '@/app/Failure'
import { useText } from '@/i18n/messages'
import { Button, Select, Skeleton, Table, type Column } from '@/ui'
import { columnsQuery, useColumnAnswer, useConfirmColumns } from './answers'
import css from './Overview.module.css'

const leftOut = 'left out'

/** What the columns were taken for, to be changed or agreed to. */
export function AskColumns({ job }: { job: ImportJob }) {
  const text = useText()
  const id = job.identifier
  const { data, error, refetch } = useQuery(columnsQuery(id))
  const { data: types = [] } = useQuery(typesQuery)
  const answer = useColumnAnswer(id)
  const confirm = useConfirmColumns(id)
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton label={text('face.loading')} />
  const fields = types.find((type) => type.name === job.importType)?.fields ?? []
  const choices = [{ id: leftOut, name: text('import.ignored') }, ...fields.map((field) => ({ id: field.name, name: field.title }))]
  const missing = fields.filter((field) => field.isRequired && !data.some((column) => column.targetField === field.name)).map((field) => field.title)
  const columns: Column<Schema<'ColumnMapping'>>[] = [
    { id: 'column', title: text('import.column'), cell: (column) => <span className={css.columnName}>{column.sourceHeader || `#${column.columnIndex + 1}`}</span> },
    { id: 'samples', title: text('import.samples'), from: 'medium', cell: (column) => <span className={css.samples}>{column.samples.slice(0, 3).join(' · ')}</span> },
    {
      id: 'target', title: text('import.target'),
      cell: (column) => (
        <div className={css.target}>
          <Select
            label={`${text('import.target')}: ${column.sourceHeader}`} labelHidden choices={choices} value={column.targetField ?? leftOut}
            onChange={(field) => answer.mutate(field === leftOut ? { id: column.id, ignore: true } : { id: column.id, targetField: field })}
          />
        </div>
      ),
    },
  ]
  return (
    <section className={css.ask}>
      <header><h2>{text('import.waits.columns')}</h2><p>{text('import.waits.columns.about')}</p></header>
      <Table label={text('import.waits.columns')} columns={columns} entries={data} rowId={(column) => String(column.id)} />
      {missing.length > 0 && <p className={css.missing}>{text('import.missing', { fields: missing.join(', ') })}</p>}
      <div className={css.askFoot}><Button look="primary" isPending={confirm.isPending} onPress={() => confirm.mutate()}>{text('import.agree.columns')}</Button></div>
    </section>
  )
}
