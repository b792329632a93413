import { hasEnded, waits, type ImportSummary } from '@/api/imports'
import type { MessageKey } from '@/i18n/messages'
import type { Tone } from '@/ui'

type Standing = Pick<
  ImportSummary,
  'status' | 'waitingFor' | 'errorCount' | 'openErrors' | 'undoneBy' | 'totalRows' | 'processedRows'
> & { phase: string }

/** The status label and tone of an import. */
export function stateOf(job: Standing): { name: MessageKey; tone: Tone } {
  switch (job.status) {
    case 'COMPLETED':
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

/** The steps shown to people, in order. */
export const phases = ['receive', 'read', 'columns', 'values', 'write', 'done'] as const

const places: Record<string, number> = {
  RECEIVING: 0,
  ANALYSING: 1,
  ASK_COLUMNS: 2,
  LOOKING_UP: 3,
  ASK_VALUES: 3,
  CUTTING: 4,
  REHEARSING: 4,
  ASK_APPROVAL: 4,
  WRITING: 4,
  FINISHING: 4,
}

/** The current or last step of an import. For a failed or cancelled import it is derived from its figures. */
export function phaseOf(job: Standing & { detected?: unknown; uploadedAt?: string | null }): number {
  if (job.status === 'COMPLETED') return 5
  if (!hasEnded(job)) return places[job.phase] ?? 0
  if (job.processedRows > 0) return 4
  if (job.detected) return 2
  return job.uploadedAt ? 1 : 0
}
