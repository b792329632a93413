import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { hasEnded, typesQuery, waits } from '@/api/imports'
import { useIsLost } from '@/app/connection'
import { useFormat } from '@/i18n/format'
import { useText, type MessageKey } from '@/i18n/messages'
import { stateOf } from '@/screens/import/state'
import { Badge, Progress, Table, type Column } from '@/ui'
import css from './Imports.module.css'
import { nested, type Family, type Listed } from './nested'

/** The uploader of files from the drop folder, as returned by the API. */
const dropped = 'drop'

/** A table of imports, each a link to its screen. Retries and undos are listed below their import. */
export function ImportsTable({ label, imports }: { label: string; imports: Listed[] }) {
  const text = useText()
  const { count, ago, moment } = useFormat()
  const columns: Column<Family>[] = [
    {
      id: 'file',
      title: text('imports.file'),
      cell: ({ job, children }) => (
        <File job={job}>
          <Children jobs={children} />
        </File>
      ),
    },
    { id: 'state', width: '13.5rem', title: text('imports.state'), cell: ({ job }) => <State job={job} /> },
    {
      id: 'rows',
      width: '7rem',
      title: text('imports.rows'),
      align: 'end',
      from: 'medium',
      cell: ({ job }) => (job.totalRows > 0 ? count(job.totalRows) : <span className={css.faint}>–</span>),
    },
    {
      id: 'errors',
      width: '6rem',
      title: text('imports.errors'),
      align: 'end',
      from: 'medium',
      cell: ({ job }) =>
        job.openErrors > 0 ? (
          <span className={css.bad}>{count(job.openErrors)}</span>
        ) : (
          <span className={css.faint}>–</span>
        ),
    },
    {
      id: 'when',
      width: '9rem',
      title: text('imports.when'),
      from: 'wide',
      cell: ({ job }) => (
        <time className={css.when} dateTime={job.createdAt} title={moment(job.createdAt)}>
          {ago(job.createdAt)}
        </time>
      ),
    },
  ]
  return <Table label={label} columns={columns} entries={nested(imports)} rowId={({ job }) => job.identifier} />
}

/** The retries and undos of an import. */
function Children({ jobs }: { jobs: Listed[] }) {
  const text = useText()
  const { count, ago } = useFormat()
  if (jobs.length === 0) return null
  return (
    <ul className={css.children}>
      {jobs.map((job) => {
        const { name, tone } = stateOf(job)
        return (
          <li key={job.identifier}>
            <Link to={`/imports/${job.identifier}`}>{text(kindOf(job))}</Link>
            <span className={css.about}>
              {[text('result.rows', { count: job.totalRows, shown: count(job.totalRows) }), ago(job.createdAt)].join(
                ' · ',
              )}
            </span>
            <Badge tone={tone}>{text(name)}</Badge>
          </li>
        )
      })}
    </ul>
  )
}

/** What an import does about another one. */
const kindOf = ({ undoOf, dryRun }: Listed): MessageKey =>
  undoOf ? (dryRun ? 'imports.undo.preview' : 'imports.undo') : 'imports.retry'

function File({ job, children }: { job: Listed; children: ReactNode }) {
  const text = useText()
  const { data: types = [] } = useQuery(typesQuery)
  const about = [
    types.find((type) => type.name === job.importType)?.title ?? job.importType,
    job.label,
    job.uploader && (job.uploader === dropped ? text('layout.drop') : text('imports.by', { who: job.uploader })),
    job.undoOf || job.retryOf ? text(kindOf(job)) : job.dryRun && text('imports.trial'),
  ]
  return (
    <div className={css.file}>
      <Link className={css.name} to={`/imports/${job.identifier}`}>
        {job.originalFilename}
      </Link>
      <span className={css.about}>{about.filter(Boolean).join(' · ')}</span>
      {children}
    </div>
  )
}

function State({ job }: { job: Listed }) {
  const text = useText()
  const { count, duration } = useFormat()
  const { name, tone } = stateOf(job)
  const pace = useIsLost()
    ? []
    : [
        job.rowsPerSecond !== null && text('imports.rate', { rate: count(Math.round(job.rowsPerSecond)) }),
        job.etaSeconds !== null && text('imports.eta', { time: duration(job.etaSeconds) }),
      ].filter(Boolean)
  return (
    <div className={css.state}>
      <Badge tone={tone}>{text(name)}</Badge>
      {!hasEnded(job) && !waits(job) && (
        <div className={css.progress}>
          <Progress
            label={text('imports.progress', { file: job.originalFilename })}
            percent={job.totalRows > 0 ? job.progressPercent : null}
          />
          {pace.length > 0 && <span className={css.pace}>{pace.join(' · ')}</span>}
        </div>
      )}
    </div>
  )
}
