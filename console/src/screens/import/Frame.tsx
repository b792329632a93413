import { useQuery } from '@tanstack/react-query'
import { ChevronLeft } from 'lucide-react'
import { Link, Outlet, useOutletContext, useParams } from 'react-router'
import { hasEnded, importQuery, typesQuery, type ImportJob } from '@/api/imports'
import { Failure } from '@/app/Failure'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, ButtonLink, PageHeader, Skeleton } from '@/ui'
import { CancelButton } from './CancelButton'
import { PhaseTracker } from './PhaseTracker'
import { stateOf } from './state'

/** The import of the current frame, for its child screens. */
export const useImport = () => useOutletContext<ImportJob>()

/** The header of all screens of an import: title, status and actions. */
export function Component() {
  const text = useText()
  const { id = '' } = useParams()
  const { data: job, error, refetch } = useQuery(importQuery(id))
  if (!job)
    return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton label={text('face.loading')} />
  const { name, tone } = stateOf(job)
  return (
    <>
      <PageHeader
        back={
          <Link to="/">
            <ChevronLeft aria-hidden />
            {text('import.back')}
          </Link>
        }
        title={job.originalFilename}
        badge={<Badge tone={tone}>{text(name)}</Badge>}
        about={<About job={job} />}
        actions={hasEnded(job) ? <StartAgain job={job} /> : <CancelButton job={job} />}
      />
      <PhaseTracker job={job} />
      <Outlet context={job} />
    </>
  )
}

/** Starts an import again that ended without having written its rows, with the same settings and columns. */
function StartAgain({ job }: { job: ImportJob }) {
  const text = useText()
  if (job.undoOf || job.retryOf || (job.status === 'COMPLETED' && !job.dryRun)) return null
  return (
    <ButtonLink look="primary" to={`/imports/new?again=${job.identifier}`}>
      {text(job.dryRun && job.status === 'COMPLETED' ? 'import.real' : 'import.again')}
    </ButtonLink>
  )
}

function About({ job }: { job: ImportJob }) {
  const text = useText()
  const { size, ago } = useFormat()
  const { data: types = [] } = useQuery(typesQuery)
  const facts = [
    types.find((type) => type.name === job.importType)?.title ?? job.importType,
    job.label,
    size(job.sizeBytes),
    ago(job.createdAt),
    job.dryRun && text('import.trial'),
  ]
  return <>{facts.filter(Boolean).join(' · ')}</>
}
