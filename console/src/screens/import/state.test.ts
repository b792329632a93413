import { expect, test } from 'vitest'
import { phaseOf, stateOf } from './state'

const job = {
  status: 'PROCESSING',
  phase: 'WRITING',
  waitingFor: null,
  errorCount: 0,
  openErrors: 0,
  undoneBy: null,
  totalRows: 10,
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

test('a failed import stays in the phase that it reached', () => {
  const failed = { ...job, status: 'FAILED', phase: 'ENDED', processedRows: 0 } as const
  expect(phaseOf({ ...failed, uploadedAt: null, detected: null })).toBe(0)
  expect(phaseOf({ ...failed, uploadedAt: '2026-01-01T00:00:00Z', detected: null })).toBe(1)
  expect(phaseOf({ ...failed, detected: {} })).toBe(2)
  expect(phaseOf({ ...failed, processedRows: 5 })).toBe(4)
  expect(phaseOf({ ...job, status: 'COMPLETED' })).toBe(5)
})
