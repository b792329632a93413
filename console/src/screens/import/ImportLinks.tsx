import { FileDiff, Undo2 } from 'lucide-react'
import { hasEnded, type ImportJob } from '@/api/imports'
import { useText } from '@/i18n/messages'
import { ButtonLink } from '@/ui'

/** Links from an import to its changes or plan, and to its undo. */
export function ImportLinks({ job }: { job: ImportJob }) {
  const text = useText()
  const asks = job.waitingFor === 'APPROVAL'
  if (!asks && !(hasEnded(job) && job.processedRows > 0 && !job.dryRun)) return null
  return (
    <>
      <ButtonLink to="changes" look={asks ? 'primary' : 'secondary'}>
        <FileDiff aria-hidden />
        {text(asks ? 'import.approve' : 'import.changes')}
      </ButtonLink>
      {job.undoable && (!job.undoneBy?.whole || job.undoRetries) && (
        <ButtonLink to="undo">
          <Undo2 aria-hidden />
          {text('import.undo')}
        </ButtonLink>
      )}
    </>
  )
}
