import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { Link, useNavigate } from 'react-router'
import { staleQuery, type StaleRow } from '@/api/changes'
import type { Fields } from '@/api/fields'
import { useCancelImport, type ImportJob } from '@/api/imports'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Bar, Button, notices } from '@/ui'
import css from './Changes.module.css'
import { isTimeOfWriting } from './writing'

/** The number of rows that are shown. */
const shownRows = 5

/** Announces the rows of a preview whose records have changed since, with the people who changed them. Nothing without any. */
export function Stale({ job, names }: { job: ImportJob; names: Fields }) {
  const text = useText()
  const { count } = useFormat()
  const leave = useNavigate()
  const discard = useCancelImport(job.identifier)
  const { data } = useQuery(staleQuery(job.identifier))
  if (!data || data.stale === 0) return null
  const more = data.stale - Math.min(shownRows, data.rows.length)
  const previewAgain = () =>
    discard.mutate(undefined, {
      onSuccess: () => void leave(`/imports/new?again=${job.identifier}&same=true`),
      onError: (error) => notices.add({ tone: 'bad', title: error.message }),
    })
  return (
    <section className={css.since} role="status">
      <TriangleAlert aria-hidden />
      <div>
        <strong>{text('changes.since', { count: data.stale, shown: count(data.stale) })}</strong>
        {!data.isComplete && <p>{text('changes.since.part')}</p>}
        <ul>
          {data.rows.slice(0, shownRows).map((row) => (
            <li key={`${row.table} ${row.id} ${row.rowNumber}`}>
              {row.rowNumber !== null && <strong>{text('changes.since.row', { row: count(row.rowNumber) })}</strong>}
              <What row={row} names={names} begun={job.createdAt} />
              <By row={row} />
            </li>
          ))}
          {more > 0 && <li>{text('changes.since.more', { count: more, shown: count(more) })}</li>}
        </ul>
        <Bar>
          <Button size="small" isPending={discard.isPending} onPress={previewAgain}>
            {text('changes.since.again')}
          </Button>
        </Bar>
      </div>
    </section>
  )
}

/** What has changed in the record of a row. */
function What({ row, names, begun }: { row: StaleRow; names: Fields; begun: string }) {
  const text = useText()
  const { value } = useFormat()
  if (row.reason !== 'CHANGED') return <span>{text(`changes.since.${row.reason}`)}</span>
  const shown = (field: string, kept: string | null) => (kept ? value(names.kind(field), kept) : text('changes.empty'))
  const fields = row.fields.filter(({ field, before, now }) => !isTimeOfWriting({ field, before, after: now }, begun))
  return fields.map(({ field, before, now }) => (
    <span key={field}>
      {text('changes.since.field', { field: names.title(field), before: shown(field, before), now: shown(field, now) })}
    </span>
  ))
}

/** Who has changed it. Changes of declared types and by other programs have no known author. */
function By({ row: { reason, changedBy } }: { row: StaleRow }) {
  const text = useText()
  const { ago } = useFormat()
  if (!changedBy) return reason === 'CHANGED' ? <span>{text('changes.since.outside')}</span> : null
  const { uploader, at, identifier, originalFilename } = changedBy
  return (
    <span>
      {uploader && at ? text('changes.since.by', { who: uploader, ago: ago(at) }) : text('changes.since.file')}{' '}
      <Link to={`/imports/${identifier}`}>{originalFilename}</Link>
    </span>
  )
}
