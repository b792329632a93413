import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { typesQuery, useReadAgain, type ImportJob } from '@/api/imports'
import { Failure } from '@/app/Failure'
import { SearchText } from '@/app/SearchText'
import { Grid, heightWith, type GridColumn, type Place } from '@/grid/Grid'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, Bar, Button, Skeleton } from '@/ui'
import { sameReading } from '../source/change'
import { bySimilarity, isOpen, nextOpen, matchOf, type Answer } from './answers'
import { isUnwritten } from '../import/state'
import { Choose } from './Choose'
import { namesQuery, openQuery, useGoOn, useValueAnswers, useValues, type Value } from './queries'
import css from './Values.module.css'

/** The field of questions about whom a row is about. */
const personField = 'PERSON'

/** The time of a double click, in milliseconds: this screen has a button where the previous one had another. */
const doubleClick = 700

/** The number of values that can be listed without a search. */
const few = 12

/** The unmatched values, those in most rows first. Each is matched once. */
export default function Values({ job }: { job: ImportJob }) {
  const text = useText()
  const { count } = useFormat()
  const id = job.identifier
  const [seen, setSeen] = useState({ from: 0, to: 0 })
  const [place, setActive] = useState<Place | null>(null)
  const [q, setSearch] = useState('')
  const [shownAt] = useState(() => Date.now())
  const { data: types, error: untyped, refetch: askTypes } = useQuery(typesQuery)
  const values = useValues(id, q, seen)
  const { data: open, error: uncounted, refetch: countAgain } = useQuery(openQuery(id))
  const { data: found } = useQuery(openQuery(id, q))
  const answer = useValueAnswers(id)
  const goOn = useGoOn(id)
  if (values.total === undefined || open === undefined || !types) {
    const failure = values.error ?? uncounted ?? untyped
    return failure ? (
      <Failure
        error={failure}
        onRetry={() => {
          values.refetch()
          void countAgain()
          void askTypes()
        }}
      />
    ) : (
      <Skeleton label={text('face.loading')} lines={12} />
    )
  }
  const fields = types.find((type) => type.name === job.importType)?.fields ?? []
  const titleOf = (name: string) =>
    name === personField ? text('values.person') : (fields.find((field) => field.name === name)?.title ?? name)
  const active = place ?? { row: Math.max(0, values.first.findIndex(isOpen)), column: 0 }
  const chosen = values.valueAt(active.row)
  const field =
    chosen?.targetField === personField
      ? { canCreate: true, isRequired: true }
      : fields.find(({ name }) => name === chosen?.targetField)
  const alike = bySimilarity(found?.values ?? [])
  const save = (answered: Answer) => {
    answer.mutate([answered])
    if (answered.id !== undefined && active.row < values.first.length)
      setActive({ ...active, row: nextOpen(values.first, active.row) })
  }
  const search = (words: string) => {
    setSearch(words.trim())
    setActive(null)
  }
  const columns: GridColumn<Value>[] = [
    { id: 'value', title: text('values.value'), width: 170, cell: (value) => <strong>{value.sourceValue}</strong> },
    { id: 'match', title: text('values.match'), width: 190, cell: (value) => <Match id={id} value={value} /> },
    { id: 'field', title: text('values.field'), width: 150, cell: (value) => titleOf(value.targetField) },
    { id: 'rows', title: text('imports.rows'), width: 90, align: 'end', cell: (value) => count(value.rowCount) },
  ]
  return (
    <section className={css.screen} aria-labelledby="values-title">
      <header className={css.head}>
        <div>
          <h2 id="values-title">{text('import.waits.values')}</h2>
          {open.total > 0 && <p>{text('values.about')}</p>}
        </div>
        {alike.length > 0 && (
          <Button isPending={answer.isPending} onPress={() => answer.mutate(alike)}>
            {text('values.similar', { count: alike.length, shown: count(alike.length) })}
          </Button>
        )}
      </header>
      {(q !== '' || values.total > few) && (
        <div className={css.find}>
          <SearchText label={text('values.find')} asked={q} maxLength={200} onAsk={search} />
          <p role="status" className={css.quiet}>
            {q && text('values.found', { count: values.total, shown: count(values.total) })}
          </p>
        </div>
      )}
      <div className={css.sides}>
        <div className={css.list} style={{ maxHeight: heightWith(values.total) }}>
          <Grid
            key={q}
            label={text('import.waits.values')}
            columns={columns}
            count={values.total}
            rowAt={values.valueAt}
            active={active}
            onActive={setActive}
            onSeen={(from, to) => setSeen({ from, to })}
          />
        </div>
        {chosen && (
          <Choose
            key={chosen.id}
            id={id}
            value={chosen}
            field={field}
            fieldTitle={titleOf(chosen.targetField)}
            isPending={answer.isPending}
            onAnswer={save}
          />
        )}
      </div>
      <footer className={css.foot}>
        <p role="status">
          {open.total > 0
            ? text('values.open', { count: open.total, shown: count(open.total) })
            : text('values.allMatched')}
        </p>
        <BackToColumns job={job} />
        {open.total > 0 ? (
          <Button isPending={goOn.isPending} onPress={() => Date.now() - shownAt > doubleClick && goOn.mutate(false)}>
            {text('import.agree.values')}
          </Button>
        ) : (
          <Button look="primary" isPending={goOn.isPending} onPress={() => goOn.mutate(true)}>
            {text(isUnwritten(job) ? 'values.preview' : 'values.go')}
          </Button>
        )}
      </footer>
    </section>
  )
}

/** Returns to the columns: the file is analysed again with the same decisions. */
function BackToColumns({ job }: { job: ImportJob }) {
  const text = useText()
  const again = useReadAgain(job.identifier)
  const same = sameReading(job)
  if (!same) return null
  return (
    <Bar>
      {again.error && <p role="alert">{again.error.message}</p>}
      <Button look="quiet" isPending={again.isPending} onPress={() => again.mutate(same)}>
        {text('values.back')}
      </Button>
    </Bar>
  )
}

/** The match of a value. */
function Match({ id, value }: { id: string; value: Value }) {
  const text = useText()
  const { data: names } = useQuery({ ...namesQuery(id, value.targetField), enabled: value.targetEntityId !== null })
  const { is, name = is === 'entity' ? names?.get(value.targetEntityId!) : undefined } = matchOf(value)
  if (is === 'open') return <Badge tone="wait">{text('values.is.open')}</Badge>
  if (name !== undefined) return <>{name}</>
  return <span className={css.quiet}>{text(`values.is.${is as Exclude<typeof is, 'value'>}`)}</span>
}
