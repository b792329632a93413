import { expect, test } from 'vitest'
import type { ImportJob } from '@/api/imports'
import { isUnwritten, stateOf, stepOf, stepsOf } from './state'

const job = {
  status: 'PROCESSING',
  phase: 'WRITING',
  waitingFor: null,
  errorCount: 0,
  openErrors: 0,
  undoneBy: null,
  dryRun: false,
  plan: null,
  processedRows: 4,
} as const

test.each([
  [{ ...job }, 'status.WRITING', 'busy'],
  [
    { ...job, status: 'COLUMN_MAPPING', phase: 'ASK_COLUMNS', waitingFor: 'COLUMN_MAPPINGS' },
    'status.ASK_COLUMNS',
    'wait',
  ],
  [{ ...job, status: 'CELL_MAPPING', phase: 'LOOKING_UP' }, 'status.LOOKING_UP', 'busy'],
  [{ ...job, status: 'COMPLETED', phase: 'ENDED' }, 'status.COMPLETED', 'good'],
  [{ ...job, status: 'COMPLETED', phase: 'ENDED', errorCount: 2, openErrors: 1 }, 'status.FAULTY', 'bad'],
  [{ ...job, status: 'COMPLETED', phase: 'ENDED', errorCount: 2 }, 'status.RIGHTED', 'good'],
  [{ ...job, status: 'COMPLETED', phase: 'ENDED', dryRun: true }, 'status.CHECKED', 'neutral'],
  [{ ...job, status: 'COMPLETED', phase: 'ENDED', dryRun: true, openErrors: 1 }, 'status.CHECKED_FAULTY', 'bad'],
  [
    {
      ...job,
      status: 'COMPLETED',
      phase: 'ENDED',
      errorCount: 2,
      openErrors: 1,
      undoneBy: { identifier: '', whole: true },
    },
    'status.UNDONE',
    'neutral',
  ],
  [
    { ...job, status: 'COMPLETED', phase: 'ENDED', undoneBy: { identifier: '', whole: false } },
    'status.PARTLY_UNDONE',
    'neutral',
  ],
  [{ ...job, status: 'CANCELLED', phase: 'ENDED' }, 'status.CANCELLED', 'neutral'],
] as const)('%#: an import is called what it is doing', (shown, name, tone) => {
  expect(stateOf(shown)).toEqual({ name, tone })
})

const plan = (appliedAt: string | null) => ({ appliedAt }) as ImportJob['plan']

test('a failed import stays in the step that it reached', () => {
  const failed = { ...job, status: 'FAILED', phase: 'ENDED', processedRows: 0 } as const
  expect(stepOf({ ...failed, uploadedAt: null, detected: null })).toBe('receive')
  expect(stepOf({ ...failed, uploadedAt: '2026-01-01T00:00:00Z', detected: null })).toBe('read')
  expect(stepOf({ ...failed, detected: {} })).toBe('columns')
  expect(stepOf({ ...failed, processedRows: 5 })).toBe('write')
  expect(stepOf({ ...failed, processedRows: 5, plan: plan(null) })).toBe('preview')
  expect(stepOf({ ...job, status: 'COMPLETED' })).toBe('done')
})

test('a plan is previewed before it is written, and a dry run is only checked', () => {
  expect(stepsOf({ ...job, plan: plan(null) })).toEqual([
    'receive',
    'read',
    'columns',
    'values',
    'preview',
    'write',
    'done',
  ])
  expect(stepOf({ ...job, phase: 'ASK_APPROVAL', plan: plan(null) })).toBe('preview')
  expect(stepOf({ ...job, plan: plan('2026-01-01T00:00:00Z') })).toBe('write')
  expect(stepsOf({ ...job, dryRun: true })).not.toContain('write')
  expect(stepOf({ ...job, dryRun: true })).toBe('check')
})

test('the counts of dry runs and of plans that were not applied are not of written rows', () => {
  expect(isUnwritten(job)).toBe(false)
  expect(isUnwritten({ ...job, dryRun: true })).toBe(true)
  expect(isUnwritten({ ...job, plan: plan(null) })).toBe(true)
  expect(isUnwritten({ ...job, plan: plan('2026-01-01T00:00:00Z') })).toBe(false)
})
