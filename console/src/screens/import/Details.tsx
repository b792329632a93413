import { Link } from 'react-router'
import { type ImportJob } from '@/api/imports'
import { useFormat } from '@/i18n/format'
import { useText, type MessageKey } from '@/i18n/messages'
import { Facts, Panel } from '@/ui'

/** Details of an import and its file. Unknown values are omitted. */
export function Details({ job }: { job: ImportJob }) {
  const text = useText()
  const { size, moment, duration } = useFormat()
  const facts = [
    [text('import.uploader'), job.uploader],
    [text('new.mode'), !job.undoOf && text(`new.mode.${job.mode}` as MessageKey)],
    [text('import.approver'), job.plan?.appliedBy !== job.uploader && job.plan?.appliedBy],
    [text('import.createdAt'), moment(job.createdAt)],
    [text('import.completedAt'), job.completedAt && moment(job.completedAt)],
    [text('import.duration'), took(job) !== null && duration(took(job)!)],
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
    [text('import.id'), <code key="id">{job.identifier}</code>],
  ] as const
  return (
    <Panel title={text('import.details')}>
      <Facts facts={facts} />
    </Panel>
  )
}

/** The seconds from the arrival of the file to the end; null while the import runs. It includes the time in which it waited for a person. */
const took = ({ uploadedAt, completedAt }: ImportJob): number | null =>
  uploadedAt && completedAt ? (Date.parse(completedAt) - Date.parse(uploadedAt)) / 1000 : null
