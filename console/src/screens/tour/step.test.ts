import { expect, test } from 'vitest'
import { tourStep } from './step'

const job = (status: string, waitingFor: string | null = null, openErrors = 0) =>
  ({ status, waitingFor, openErrors }) as Parameters<typeof tourStep>[1]

test.each([
  ['/', undefined, 'choose'],
  ['/settings', undefined, 'choose'],
  ['/imports/new', undefined, 'begin'],
  ['/imports/a', undefined, 'columns'],
  ['/imports/a', job('COLUMN_MAPPING', 'COLUMN_MAPPINGS'), 'columns'],
  ['/imports/a', job('AWAITING_APPROVAL', 'APPROVAL', 1), 'preview'],
  ['/imports/a/rows', job('AWAITING_APPROVAL', 'APPROVAL', 1), 'fix'],
  ['/imports/a', job('PROCESSING'), 'columns'],
  ['/imports/a', job('COMPLETED', null, 1), 'fix'],
  ['/imports/a/rows', job('COMPLETED', null, 0), 'done'],
  ['/imports/a', job('CANCELLED', null, 1), 'done'],
])('on %s the tour shows the step of the import', (pathname, shown, step) => {
  expect(tourStep(pathname, shown)).toBe(step)
})
