import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CheckCheck, ChevronLeft, SearchX } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { hasEnded, typesQuery } from '@/api/imports'
import { Failure } from '@/app/Failure'
import { Grid, heightWith, type Command, type Place } from '@/grid/Grid'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { EmptyState, notices, Skeleton } from '@/ui'
import { useImport } from '../import/Frame'
import { isCorrectable } from '../import/state'
import { CellEditor } from './CellEditor'
import { faultColumn, fieldOf, gridColumns, shownText } from './columns'
import { Faults } from './Faults'
import { Filters } from './Filters'
import { isWhole, readFilter, writeFilter, type RowFilter } from './filter'
import { blockSize, countsQuery, reachQuery, type Row } from './queries'
import { Repair } from './Repair'
import css from './Result.module.css'
import { RowDetail } from './RowDetail'
import { useEdits, type Edit } from './useEdits'
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
  const [typed, setTyped] = useState<string | undefined>()
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const queries = useQueryClient()
  const { data: types, error: untyped, refetch: askTypes } = useQuery(typesQuery)
  const { data: counts, isPending: isCounting } = useQuery(countsQuery(id))
  const { data: reach, error: unread } = useQuery(reachQuery(id))
  const edits = useEdits(id)
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
  const type = types.find(({ name }) => name === job.importType)
  const fields = type?.fields ?? []
  const canUpdate = hasEnded(job) && !job.retryOf && !job.undoOf && (type?.modes.includes('upsert') ?? false)
  const columns = gridColumns(fields, rows.sample, text)
  const active = place ?? { row: 0, column: faultColumn(columns, rows.rowAt(0)) }
  const row = rows.rowAt(active.row) ?? undefined
  const field = fields.find(({ name }) => name === fieldOf(columns, active.column)) ?? null
  const isFixable = isCorrectable(job)
  const canCorrect = (candidate: Row | null | undefined, name: string | null) =>
    Boolean(candidate?.open && name && isFixable)
  const open = (place: Place, text?: string) => {
    setActive(place)
    setTyped(text)
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
    edits.write([editOf(row, field.name, written)]).then(
      ({ refused: [first] }) => {
        setEditing(first !== undefined)
        if (first) refuse(first.message)
        else setRefusal(null)
      },
      (error: unknown) => refuse((error as Error).message),
    )
  }
  /** Corrects the cells from the active one on that can be corrected. */
  const fill = (cells: string[][]) => {
    const wanted = cells.flatMap((texts, down) =>
      texts.flatMap((text, right) => {
        const target = rows.rowAt(active.row + down)
        const name = fieldOf(columns, active.column + right)
        return target && name && canCorrect(target, name) ? editOf(target, name, text) : []
      }),
    )
    if (wanted.length === 0) return
    edits.write(wanted).then(
      ({ saved, refused: [first, ...more] }) => {
        const words = { count: saved.length, shown: count(saved.length) }
        if (!first) return void notices.add({ title: text('result.corrected', words) })
        const about = { count: more.length + 1, row: first.row, message: first.message }
        notices.add({ tone: 'wait', title: text('result.corrected', words), about: text('result.refused', about) })
      },
      (error: unknown) => notices.add({ tone: 'bad', title: (error as Error).message }),
    )
  }
  const command = (name: Command) => {
    if (name !== 'fill') edits[name]()
    else if (field && active.row > 0) fill([[shownText(rows.rowAt(active.row - 1), field)]])
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
      <Faults
        id={id}
        fields={fields}
        counts={counts}
        filter={filter}
        canCorrect={isFixable}
        canUpdate={canUpdate}
        onFilter={narrow}
      />
      <Filters
        filter={filter}
        edits={isFixable && rows.count > 0 ? edits : undefined}
        onRow={
          isWhole(filter) && rows.count > blockSize
            ? (number) => setActive({ row: clamp(number - reach.first, rows.count), column: active.column })
            : undefined
        }
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
            frozen={2}
            onOpen={open}
            onPaste={fill}
            onCommand={command}
            onSeen={rows.see}
            editor={
              isEditing &&
              row &&
              field && (
                <CellEditor
                  label={`${field.title}, ${row.rowNumber}`}
                  value={refused?.written ?? shownText(row, field)}
                  typed={typed}
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
        headers={job.detected?.header ?? []}
        onCorrect={canCorrect(row, field?.name ?? null) ? () => open(active) : undefined}
      />
    </div>
  )
}

/** The correction of a cell. */
const editOf = ({ rowNumber, values }: Row, field: string, after: string): Edit => {
  const value = values.find((each) => each.field === field)
  return { row: rowNumber, field, before: value?.corrected ? value.read : null, after }
}

const clamp = (place: number, count: number) => Math.max(0, Math.min(count - 1, place))

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
