import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CheckCheck, ChevronLeft, SearchX } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { hasEnded, typesQuery } from '@/api/imports'
import { Failure } from '@/app/Failure'
import { Grid, heightWith, type Place } from '@/grid/Grid'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { EmptyState, Skeleton } from '@/ui'
import { useImport } from '../import/Frame'
import { isUnwritten } from '../import/state'
import { CellEditor } from './CellEditor'
import { faultColumn, fieldOf, gridColumns, shownText } from './columns'
import { Faults } from './Faults'
import { Filters } from './Filters'
import { isWhole, readFilter, writeFilter, type RowFilter } from './filter'
import { countsQuery, reachQuery, useCorrection, type Row } from './queries'
import { Repair } from './Repair'
import css from './Result.module.css'
import { RowDetail } from './RowDetail'
import { useRows } from './useRows'

/** A correction that was refused. What was written is kept, so that it can be changed. */
type Refusal = { row: number; field: string; written: string; message: string }

/** All rows of an import with outcomes and errors, which can be corrected in their cells. The filter is in the address. */
export function Component() {
  const text = useText()
  const { count } = useFormat()
  const job = useImport()
  const id = job.identifier
  const [query, setQuery] = useSearchParams()
  const filter = readFilter(query)
  const [place, setActive] = useState<Place | null>(null)
  const [isEditing, setEditing] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const queries = useQueryClient()
  const { data: types, error: untyped, refetch: askTypes } = useQuery(typesQuery)
  const { data: counts, isPending: isCounting } = useQuery(countsQuery(id))
  const { data: reach, error: unread } = useQuery(reachQuery(id))
  const correct = useCorrection(id)
  const rows = useRows(job, filter, reach)
  const failure = unread ?? rows.error ?? (types ? null : untyped)
  if (failure)
    return (
      <Failure
        error={failure}
        onRetry={() => {
          void queries.refetchQueries({ queryKey: ['import', id] })
          void askTypes()
        }}
      />
    )
  if (!types || !reach || isCounting) return <Skeleton label={text('face.loading')} lines={12} />
  const narrow = (next: RowFilter) => {
    setActive(null)
    setEditing(false)
    setQuery(writeFilter(next), { replace: true })
  }
  const fields = types.find((type) => type.name === job.importType)?.fields ?? []
  const columns = gridColumns(fields, rows.sample, text)
  const active = place ?? { row: 0, column: faultColumn(columns, rows.rowAt(0)) }
  const row = rows.rowAt(active.row) ?? undefined
  const field = fields.find(({ name }) => name === fieldOf(columns, active.column)) ?? null
  const isFixable = hasEnded(job) && !isUnwritten(job)
  const canCorrect = (candidate: Row | null | undefined, name: string | null) =>
    Boolean(candidate?.open && name && isFixable)
  const open = (place: Place) => {
    setActive(place)
    setEditing(canCorrect(rows.rowAt(place.row), fieldOf(columns, place.column)))
  }
  const keep = (written: string) => {
    if (!row || !field) {
      setEditing(false)
      return
    }
    const refuse = (message: string) => {
      setRefusal({ row: row.rowNumber, field: field.name, written, message })
    }
    correct.mutate(
      { row: row.rowNumber, field: field.name, text: written },
      {
        onSuccess: (answer) => {
          const message = answer.rows.flatMap(({ cells }) => cells).find((cell) => cell.message)?.message
          setEditing(Boolean(message))
          if (message) refuse(message)
          else setRefusal(null)
        },
        onError: (error) => {
          refuse(error.message)
        },
      },
    )
  }
  const refused = refusal?.row === row?.rowNumber && refusal?.field === field?.name ? refusal : null
  const activate = (place: Place) => {
    if (place.row !== active.row || place.column !== active.column) setEditing(false)
    setActive(place)
  }
  return (
    <div className={css.screen}>
      <div className={css.top}>
        <Link to={`/imports/${id}`} className={css.back}>
          <ChevronLeft aria-hidden />
          {text('result.back')}
        </Link>
      </div>
      <Repair job={job} counts={counts} />
      <Faults id={id} fields={fields} counts={counts} filter={filter} canCorrect={isFixable} onFilter={narrow} />
      <Filters
        filter={filter}
        onChange={narrow}
        total={
          rows.isComplete || isWhole(filter)
            ? text('result.rows', { count: rows.count, shown: count(rows.count) })
            : text('result.rows.atLeast', { shown: count(rows.count) })
        }
      />
      {rows.isComplete && rows.count === 0 ? (
        <NoRows isRight={filter.show === 'open' && counts?.openErrors === 0} />
      ) : (
        <div className={css.grid} style={{ maxHeight: heightWith(rows.count) }}>
          <Grid
            label={text('result.grid')}
            columns={columns}
            count={rows.count}
            rowAt={rows.rowAt}
            active={active}
            onActive={activate}
            onOpen={open}
            onSeen={rows.see}
            editor={
              isEditing &&
              row &&
              field && (
                <CellEditor
                  label={`${field.title}, ${row.rowNumber}`}
                  value={refused?.written ?? shownText(row, field)}
                  onKeep={keep}
                  onLeave={() => setEditing(false)}
                />
              )
            }
          />
        </div>
      )}
      <RowDetail
        row={row}
        refusal={refused?.message}
        fields={fields}
        onCorrect={canCorrect(row, field?.name ?? null) ? () => setEditing(true) : undefined}
      />
    </div>
  )
}

/** The empty state: all rows are imported, or no row matches the filter. */
function NoRows({ isRight }: { isRight: boolean }) {
  const text = useText()
  if (isRight) return <EmptyState icon={<CheckCheck />} title={text('result.none.right')} />
  return (
    <EmptyState icon={<SearchX />} title={text('result.none')}>
      {text('result.none.about')}
    </EmptyState>
  )
}
