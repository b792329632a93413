import { Download, PencilLine, Rows3 } from 'lucide-react'
import { Link } from 'react-router'
import { hasEnded, type ImportJob } from '@/api/imports'
import { useIsLost } from '@/app/connection'
import { useFormat } from '@/i18n/format'
import { serverLanguage } from '@/i18n/locales'
import { useText } from '@/i18n/messages'
import { useDownload } from '@/api/useDownload'
import { Button, ButtonLink, Panel, Progress } from '@/ui'
import css from './Overview.module.css'
import { ImportLinks } from './ImportLinks'
import { figuresOf, segmentsOf } from './outcomes'
import { isUnwritten } from './state'

/** Live row counts by outcome. Every ten percent are announced to screen readers. */
export function Counters({ job }: { job: ImportJob }) {
  const text = useText()
  const { clock, count, duration } = useFormat()
  const download = useDownload(`/api/imports/${job.identifier}/errors.xlsx?lang=${serverLanguage()}`)
  const known = job.totalRows > 0 && job.processedRows > 0
  const isComplete = hasEnded(job) || job.waitingFor === 'APPROVAL'
  const hasRows = isComplete && !job.undoOf
  const pace = useIsLost()
    ? []
    : [
        job.waitingForDatabaseSince && text('import.databaseWait', { time: clock(job.waitingForDatabaseSince) }),
        job.rowsPerSecond !== null && text('imports.rate', { rate: count(Math.round(job.rowsPerSecond)) }),
        job.etaSeconds !== null && text('imports.eta', { time: duration(job.etaSeconds) }),
      ].filter(Boolean)
  const figures = figuresOf(job)
  return (
    <Panel>
      <div className={css.head}>
        <strong>
          {known || hasEnded(job)
            ? text(isUnwritten(job) && isComplete ? 'import.checked' : 'import.written', {
                done: count(job.processedRows),
                total: count(Math.max(job.totalRows, job.processedRows)),
              })
            : text('import.reading')}
        </strong>
        {pace.length > 0 && <span className={css.pace}>{pace.join(' · ')}</span>}
      </div>
      <Progress
        size="thick"
        label={text('imports.progress', { file: job.originalFilename })}
        percent={known || hasEnded(job) ? job.progressPercent : null}
        segments={segmentsOf(figures, job.totalRows)}
      />
      <p className="visually-hidden" role="status">
        {known && text('import.announce', { percent: Math.floor(job.progressPercent / 10) * 10 })}
      </p>
      <dl className={css.figures}>
        {figures.map(({ id, name, rows, show }) => (
          <div key={id} className={`${css.figure} ${css[id] ?? ''}`} data-some={rows > 0 || undefined}>
            <dt>{text(name)}</dt>
            <dd>
              {hasRows && show && rows > 0 ? (
                <Link
                  to={`/imports/${job.identifier}/rows?show=${show}`}
                  aria-label={`${text(`result.show.${show}`)}: ${count(rows)}`}
                >
                  {count(rows)}
                </Link>
              ) : (
                count(rows)
              )}
            </dd>
          </div>
        ))}
      </dl>
      <div className={css.actions}>
        {job.processedRows > 0 && hasEnded(job) && !job.undoOf && <ToRows job={job} />}
        <ImportLinks job={job} />
        {job.openErrors > 0 && hasEnded(job) && (
          <Button look="quiet" onPress={download.start} isPending={download.isPending}>
            <Download aria-hidden />
            {text('import.workbook')}
          </Button>
        )}
      </div>
    </Panel>
  )
}

/** A link to the rows of an import, or to its failed rows if there are any. Only rows of an import that was written can be fixed. */
function ToRows({ job }: { job: ImportJob }) {
  const text = useText()
  const { count } = useFormat()
  const { identifier, openErrors } = job
  const words = { count: openErrors, shown: count(openErrors) }
  if (openErrors > 0 && isUnwritten(job))
    return (
      <ButtonLink to={`/imports/${identifier}/rows?show=open`}>
        <Rows3 aria-hidden />
        {text('import.seeErrors', words)}
      </ButtonLink>
    )
  return openErrors > 0 ? (
    <ButtonLink look="primary" to={`/imports/${identifier}/rows?show=open`}>
      <PencilLine aria-hidden />
      {text('result.toErrors', words)}
    </ButtonLink>
  ) : (
    <ButtonLink to={`/imports/${identifier}/rows`}>
      <Rows3 aria-hidden />
      {text('result.toRows')}
    </ButtonLink>
  )
}
