import { FileDiff, Undo2 } from 'lucide-react'
import { hasEnded, type ImportJob } from '@/api/imports'
import { useText } from '@/i18n/messages'
import { ButtonLink } from '@/ui'
import { isUnwritten } from './state'

/** Links from an import that was written to its changes and its undo. */
export function ImportLinks({ job }: { job: ImportJob }) {
  const text = useText()
  if (!hasEnded(job) || job.processedRows === 0 || isUnwritten(job)) return null
  return (
    <>
      <ButtonLink to="changes">
        <FileDiff aria-hidden />
        {text('import.changes')}
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
