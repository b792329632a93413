import { Link } from 'react-router'
import { type ImportJob } from '@/api/imports'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Facts, Panel } from '@/ui'

/** Details of an import and its file. Unknown values are omitted. */
export function Details({ job }: { job: ImportJob }) {
  const text = useText()
  const { size, moment } = useFormat()
  const facts = [
    [text('import.uploader'), job.uploader],
    [text('import.createdAt'), moment(job.createdAt)],
    [text('import.completedAt'), job.completedAt && moment(job.completedAt)],
    [text('import.size'), size(job.sizeBytes)],
    [text('import.format'), job.detected?.format.toUpperCase()],
    [text('import.encoding'), job.detected?.encoding?.toUpperCase()],
    [text('import.sheet'), job.detected?.sheetName],
    [text('import.label'), job.label],
    [
      text('import.profile'),
      job.profile && text('import.profile.version', { name: job.profile.name, version: job.profile.version }),
    ],
    [text('import.retryOf'), job.retryOf && <Link to={`/imports/${job.retryOf}`}>{text('import.retryOf.link')}</Link>],
  ] as const
  return (
    <Panel title={text('import.details')}>
      <Facts facts={facts} />
    </Panel>
  )
}
