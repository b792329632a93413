import type { ImportJob } from '@/api/imports'
import type { MessageKey } from '@/i18n/messages'
import type { RowFilter } from '@/screens/result/filter'
import type { Segment } from '@/ui'
import { isUnwritten } from './state'

/** A figure of an import: its label, its number of rows, and the filter that shows them. */
export type Figure = { id: keyof typeof looks; name: MessageKey; rows: number; show?: RowFilter['show'] }

const looks = {
  created: 'new',
  updated: 'changed',
  righted: 'new',
  unchanged: 'same',
  skipped: 'same',
  deferred: 'wait',
  errors: 'bad',
} as const satisfies Record<string, Segment['tone']>

/** The rows of an import by outcome. Rows that a retry fixed do not count as errors. */
export function figuresOf(job: ImportJob): Figure[] {
  const would = isUnwritten(job)
  const righted = job.errorCount - job.openErrors
  return [
    { id: 'created', name: would ? 'import.would.created' : 'import.created', rows: job.createdCount, show: 'CREATED' },
    { id: 'updated', name: would ? 'import.would.updated' : 'import.updated', rows: job.updatedCount, show: 'UPDATED' },
    { id: 'unchanged', name: 'import.unchanged', rows: job.unchangedCount, show: 'UNCHANGED' },
    { id: 'skipped', name: would ? 'import.would.skipped' : 'import.skipped', rows: job.skippedCount, show: 'SKIPPED' },
    { id: 'errors', name: 'import.errors', rows: job.openErrors, show: 'open' },
    ...(righted > 0 ? ([{ id: 'righted', name: 'import.righted', rows: righted }] as const) : []),
    ...(job.deferredCount > 0 ? ([{ id: 'deferred', name: 'import.deferred', rows: job.deferredCount }] as const) : []),
  ]
}

const order: Segment['tone'][] = ['new', 'changed', 'same', 'wait', 'bad']

/** The parts of the progress bar, in the order of their tones. They add up to the share of the processed rows. */
export function segmentsOf(figures: Figure[], totalRows: number): Segment[] {
  const sum = figures.reduce((rows, figure) => rows + figure.rows, 0)
  const whole = Math.max(totalRows, sum, 1)
  return order
    .map((tone) => ({
      tone,
      percent: (100 * figures.reduce((rows, { id, rows: own }) => rows + (looks[id] === tone ? own : 0), 0)) / whole,
    }))
    .filter(({ percent }) => percent > 0)
}
