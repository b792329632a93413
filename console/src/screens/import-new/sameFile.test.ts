import { expect, test } from 'vitest'
import type { ImportSummary } from '@/api/imports'
import { hashOf, newestOf } from './sameFile'

const job = (identifier: string, fields: Partial<ImportSummary> = {}) =>
  ({ identifier, status: 'COMPLETED', dryRun: false, ...fields }) as ImportSummary

test('retries, undos, dry runs and imports that wrote nothing are not earlier imports of a file', () => {
  const others = [
    job('retry', { retryOf: 'a' }),
    job('undo', { undoOf: 'a' }),
    job('dry', { dryRun: true }),
    job('failed', { status: 'FAILED' }),
    job('cancelled', { status: 'CANCELLED' }),
  ]
  expect(newestOf(others)).toBeNull()
  expect(newestOf([...others, job('newer'), job('older')])?.identifier).toBe('newer')
})

test('a file is known by its SHA-256', async () => {
  const file = { arrayBuffer: () => Promise.resolve(new TextEncoder().encode('abc').buffer) }
  expect(await hashOf(file as File)).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
