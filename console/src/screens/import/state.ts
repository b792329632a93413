import { hasEnded, waits, type ImportJob, type ImportSummary } from '@/api/imports'
import type { MessageKey } from '@/i18n/messages'
import type { Tone } from '@/ui'

type Standing = Pick<ImportSummary, 'status' | 'waitingFor' | 'errorCount' | 'openErrors' | 'undoneBy' | 'dryRun'> & {
  phase: string
}

/** The status label and tone of an import. */
export function stateOf(job: Standing): { name: MessageKey; tone: Tone } {
  switch (job.status) {
    case 'COMPLETED':
      if (job.dryRun)
        return job.openErrors > 0
          ? { name: 'status.CHECKED_FAULTY', tone: 'bad' }
          : { name: 'status.CHECKED', tone: 'neutral' }
      if (job.undoneBy) return { name: job.undoneBy.whole ? 'status.UNDONE' : 'status.PARTLY_UNDONE', tone: 'neutral' }
      if (job.openErrors > 0) return { name: 'status.FAULTY', tone: 'bad' }
      return { name: job.errorCount > 0 ? 'status.RIGHTED' : 'status.COMPLETED', tone: 'good' }
    case 'FAILED':
      return { name: 'status.FAILED', tone: 'bad' }
    case 'CANCELLED':
      return { name: 'status.CANCELLED', tone: 'neutral' }
    default:
      return { name: `status.${job.phase}` as MessageKey, tone: waits(job) ? 'wait' : 'busy' }
  }
}

/** Whether the counts of an import are only what it would write: it is a dry run, or a plan that was not applied. */
export const isUnwritten = ({ dryRun, plan }: Pick<ImportJob, 'dryRun' | 'plan'>): boolean =>
  dryRun || (plan !== null && plan.appliedAt === null)

/** Whether failed rows of an import can be corrected: after it was written, or while its preview waits. */
export const isCorrectable = (job: ImportJob): boolean =>
  !job.undoOf && ((hasEnded(job) && !isUnwritten(job)) || (job.waitingFor === 'APPROVAL' && !job.retryOf))

type Step = 'receive' | 'read' | 'columns' | 'values' | 'preview' | 'check' | 'write' | 'done'
type Stepping = Pick<ImportJob, 'dryRun' | 'plan'>

/** The steps of an import that are shown to people, in order. */
export const stepsOf = ({ dryRun, plan }: Stepping): Step[] => [
  'receive',
  'read',
  'columns',
  'values',
  ...(plan ? (['preview'] as const) : []),
  dryRun ? 'check' : 'write',
  'done',
]

const steps: Record<string, Step> = {
  RECEIVING: 'receive',
  ANALYSING: 'read',
  ASK_COLUMNS: 'columns',
  LOOKING_UP: 'values',
  ASK_VALUES: 'values',
  REHEARSING: 'preview',
  ASK_APPROVAL: 'preview',
}

type Reached = Stepping &
  Pick<ImportJob, 'status' | 'phase' | 'processedRows'> & { detected?: unknown; uploadedAt?: string | null }

/** The current or last step of an import. For a failed or cancelled import it is derived from its figures. */
export function stepOf(job: Reached): Step {
  const last = job.dryRun ? 'check' : job.plan && !job.plan.appliedAt ? 'preview' : 'write'
  if (job.status === 'COMPLETED') return 'done'
  if (!hasEnded(job)) return steps[job.phase] ?? last
  if (job.processedRows > 0) return last
  if (job.detected) return 'columns'
  return job.uploadedAt ? 'read' : 'receive'
}
