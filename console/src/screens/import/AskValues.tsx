import { useQuery } from '@tanstack/react-query'
import type { ImportJob } from '@/api/imports'
import type { Schema } from '@/api/client'
import { Failure } from '@/app/Failure'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Button, Select, Skeleton, Table, type Column } from '@/ui'
import { useGoOnWithoutValues, useValueAnswer, valuesQuery } from './answers'
import css from './Overview.module.css'

type Value = Schema<'CellMapping'>
const keyOf = (candidate: Schema<'Candidate'>) => candidate.value ?? String(candidate.id)

/** The values that nobody knows, each with what it is most similar to. */
export function AskValues({ job }: { job: ImportJob }) {
  const text = useText()
  const { count } = useFormat()
  const { data, error, refetch } = useQuery(valuesQuery(job.identifier))
  const answer = useValueAnswer(job.identifier)
  const goOn = useGoOnWithoutValues(job.identifier)
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton label={text('face.loading')} />
  const choose = (value: Value, key: string) => {
    const candidate = value.suggestions.find((each) => keyOf(each) === key)
    answer.mutate(candidate?.value !== undefined ? { id: value.id, targetValue: candidate.value } : { id: value.id, targetEntityId: candidate?.id })
  }
  const columns: Column<Value>[] = [
    { id: 'value', title: text('import.samples'), cell: (value) => <span className={css.columnName}>{value.sourceValue}</span> },
    { id: 'rows', title: text('imports.rows'), align: 'end', from: 'medium', cell: (value) => count(value.rowCount) },
    {
      id: 'target', title: text('import.target'),
      cell: (value) => (
        <div className={css.target}>
          <Select
            label={`${text('import.target')}: ${value.sourceValue}`} labelHidden placeholder="–" onChange={(key) => choose(value, key)}
            value={value.targetValue ?? (value.targetEntityId === null ? null : String(value.targetEntityId))} choices={value.suggestions.map((candidate) => ({ id: keyOf(candidate), name: candidate.displayName }))}
          />
        </div>
      ),
    },
  ]
  return (
    <section className={css.ask}>
      <header><h2>{text('import.waits.values')}</h2><p>{text('import.waits.values.about')}</p></header>
      <Table label={text('import.waits.values')} columns={columns} entries={data} rowId={(value) => String(value.id)} />
      <div className={css.askFoot}><Button look="primary" isPending={goOn.isPending} onPress={() => goOn.mutate()}>{text('import.agree.values')}</Button></div>
    </section>
  )
}
