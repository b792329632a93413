import { expect, test } from 'vitest'
import type { ImportJob } from '@/api/imports'
import { figuresOf, segmentsOf } from './outcomes'

const job = {
  dryRun: false,
  plan: null,
  createdCount: 15,
  updatedCount: 200,
  unchangedCount: 0,
  skippedCount: 0,
  errorCount: 10,
  openErrors: 10,
  deferredCount: 0,
  totalRows: 250,
} as ImportJob

test('the bar shows outcomes: failed rows are red, fixed rows are not', () => {
  expect(segmentsOf(figuresOf(job), job.totalRows)).toEqual([
    { tone: 'new', percent: 6 },
    { tone: 'changed', percent: 80 },
    { tone: 'bad', percent: 4 },
  ])
  const failed = { ...job, createdCount: 0, updatedCount: 0, errorCount: 80, openErrors: 80, totalRows: 80 }
  expect(segmentsOf(figuresOf(failed), 80)).toEqual([{ tone: 'bad', percent: 100 }])
  expect(segmentsOf(figuresOf({ ...failed, openErrors: 0 }), 80)).toEqual([{ tone: 'new', percent: 100 }])
})

test('nothing is called created before it is written', () => {
  const names = (of: Partial<ImportJob>) => figuresOf({ ...job, ...of }).map(({ name }) => name)
  expect(names({})).toContain('import.created')
  for (const unwritten of [{ dryRun: true }, { plan: { appliedAt: null } as ImportJob['plan'] }]) {
    expect(names(unwritten)).not.toContain('import.created')
    expect(names(unwritten)).toContain('import.would.created')
    expect(names(unwritten)).toContain('import.would.updated')
  }
})
