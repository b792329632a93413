import { Download, FileSpreadsheet, RotateCcw } from 'lucide-react'
import type { Schema } from '@/api/client'
import { hasEnded, type ImportJob } from '@/api/imports'
import { useDownload } from '@/api/useDownload'
import { useFormat } from '@/i18n/format'
import { serverLanguage } from '@/i18n/locales'
import { useText } from '@/i18n/messages'
import { Badge, Button, ButtonLink } from '@/ui'
import { isUnwritten } from '../import/state'
import { useAnnotated, useRetriesUnderWay, useRetry } from './queries'
import css from './Result.module.css'

/** The number of failed and corrected rows, and the button that retries them. Rows that were only checked cannot be retried. */
export function Repair({ job, counts }: { job: ImportJob; counts: Schema<'RowCounts'> | undefined }) {
  const text = useText()
  const { count } = useFormat()
  const retry = useRetry(job.identifier)
  const isUnderWay = useRetriesUnderWay(
    job.identifier,
    job.retries.filter(({ ofRows }) => ofRows),
  )
  const errors = useDownload(`/api/imports/${job.identifier}/errors.xlsx?lang=${serverLanguage()}`)
  const { open, corrected } = { open: counts?.openErrors ?? job.openErrors, corrected: counts?.correctedRows ?? 0 }
  const waiting = retry.isPending ? undefined : job.retries.find(({ status }) => status === 'AWAITING_APPROVAL')
  const isBusy = isUnderWay || retry.isPending
  if (isUnwritten(job)) return <Unwritten job={job} open={open} corrected={corrected} />
  if (!hasEnded(job)) return null
  return (
    <section aria-label={text('result.repair')} className={css.repair} data-open={open > 0 || undefined}>
      <p role="status">
        <strong>
          {waiting
            ? text('result.planned')
            : isBusy
              ? text('result.bringing')
              : open > 0
                ? text('result.open', { count: open, shown: count(open) })
                : text('result.right')}
        </strong>
        {open > 0 && !isBusy && (
          <span>
            {corrected > 0 ? text('result.ready', { count: corrected, shown: count(corrected) }) : text('result.how')}
          </span>
        )}
        {isBusy && !waiting && <Badge tone="busy">{text('status.WRITING')}</Badge>}
      </p>
      {waiting && (
        <div className={css.actions}>
          <ButtonLink look="primary" to={`/imports/${waiting.identifier}`}>
            {text('result.planned.review')}
          </ButtonLink>
        </div>
      )}
      {open > 0 && (
        <div className={css.actions}>
          {corrected === 0 && (
            <Button isDisabled={isBusy} onPress={() => retry.mutate('all-errors')}>
              <RotateCcw aria-hidden />
              {text('result.again')}
            </Button>
          )}
          <Button look="quiet" onPress={errors.start} isPending={errors.isPending}>
            <Download aria-hidden />
            {text('import.workbook')}
          </Button>
          {job.detected?.format === 'xlsx' && <Annotate id={job.identifier} />}
          {corrected > 0 && (
            <Button look="primary" isDisabled={isBusy} onPress={() => retry.mutate('corrected')}>
              <RotateCcw aria-hidden />
              {text('result.bring', { count: corrected, shown: count(corrected) })}
            </Button>
          )}
        </div>
      )}
    </section>
  )
}

/** The number of rows with errors in a preview or dry run, and of those that are imported with the preview because they were corrected. */
function Unwritten({ job, open, corrected }: { job: ImportJob; open: number; corrected: number }) {
  const text = useText()
  const { count } = useFormat()
  return (
    <section aria-label={text('result.repair')} className={css.repair} data-open={open > 0 || undefined}>
      <p role="status">
        <strong>{open > 0 ? text('result.faulty', { count: open, shown: count(open) }) : text('result.valid')}</strong>
        {open > 0 && (
          <span>
            {corrected > 0
              ? text('result.with', { count: corrected, shown: count(corrected) })
              : text(hasEnded(job) ? 'result.checked' : 'result.preview')}
          </span>
        )}
      </p>
      {corrected > 0 && !hasEnded(job) && (
        <div className={css.actions}>
          <ButtonLink look="primary" to={`/imports/${job.identifier}`}>
            {text('result.toPreview')}
          </ButtonLink>
        </div>
      )}
    </section>
  )
}

/** Creates the annotated workbook and downloads it when it is ready. */
function Annotate({ id }: { id: string }) {
  const text = useText()
  const annotated = useAnnotated(id)
  return (
    <Button look="quiet" onPress={() => annotated.mutate()} isPending={annotated.isPending}>
      <FileSpreadsheet aria-hidden />
      {text('result.annotated')}
    </Button>
  )
}
