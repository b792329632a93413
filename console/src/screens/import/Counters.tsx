import { Download, PencilLine, Rows3 } from 'lucide-react'
import { hasEnded, type ImportJob } from '@/api/imports'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { useDownload } from '@/api/useDownload'
import { Button, ButtonLink, Panel, Progress } from '@/ui'
import css from './Overview.module.css'
import { ImportLinks } from './ImportLinks'

/** Live row counts by outcome. Every ten percent are announced to screen readers. */
export function Counters({ job }: { job: ImportJob }) {
  const text = useText()
  const { count, duration } = useFormat()
  const download = useDownload(`/api/imports/${job.identifier}/errors.xlsx`)
  const known = job.totalRows > 0 && job.processedRows > 0
  const pace = [
    job.rowsPerSecond !== null && text('imports.rate', { rate: count(Math.round(job.rowsPerSecond)) }),
    job.etaSeconds !== null && text('imports.eta', { time: duration(job.etaSeconds) }),
  ].filter(Boolean)
  const figures = [
    ['created', job.createdCount],
    ['updated', job.updatedCount],
    ['unchanged', job.unchangedCount],
    ['skipped', job.skippedCount],
    ['errors', job.openErrors],
    ...(job.errorCount > job.openErrors ? [['righted', job.errorCount - job.openErrors] as const] : []),
    ...(job.deferredCount > 0 ? [['deferred', job.deferredCount] as const] : []),
  ] as const
  return (
    <Panel>
      <div className={css.head}>
        <strong>
          {known || hasEnded(job)
            ? text('import.written', {
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
        tone={job.status === 'COMPLETED' ? 'good' : hasEnded(job) ? 'bad' : 'busy'}
      />
      <p className="visually-hidden" role="status">
        {known && text('import.announce', { percent: Math.floor(job.progressPercent / 10) * 10 })}
      </p>
      <dl className={css.figures}>
        {figures.map(([name, value]) => (
          <div key={name} className={`${css.figure} ${css[name] ?? ''}`} data-some={value > 0 || undefined}>
            <dt>{text(`import.${name}`)}</dt>
            <dd>{count(value)}</dd>
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

/** A link to the rows of an import, or to its failed rows if there are any. */
function ToRows({ job: { identifier, openErrors } }: { job: ImportJob }) {
  const text = useText()
  const { count } = useFormat()
  return openErrors > 0 ? (
    <ButtonLink look="primary" to={`/imports/${identifier}/rows?show=open`}>
      <PencilLine aria-hidden />
      {text('result.toErrors', { count: openErrors, shown: count(openErrors) })}
    </ButtonLink>
  ) : (
    <ButtonLink to={`/imports/${identifier}/rows`}>
      <Rows3 aria-hidden />
      {text('result.toRows')}
    </ButtonLink>
  )
}
