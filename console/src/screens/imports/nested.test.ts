import { expect, test } from 'vitest'
import { nested, type Listed } from './nested'

const job = (identifier: string, of: Partial<Listed> = {}) =>
  ({ identifier, retryOf: null, undoOf: null, ...of }) as Listed

test('retries and undos are listed below their import, also those of a retry', () => {
  const imports = [
    job('undo', { undoOf: 'a' }),
    job('b'),
    job('again', { retryOf: 'retry' }),
    job('retry', { retryOf: 'a' }),
    job('a'),
  ]
  expect(nested(imports).map(({ job, children }) => [job.identifier, children.map((each) => each.identifier)])).toEqual(
    [
      ['b', []],
      ['a', ['undo', 'again', 'retry']],
    ],
  )
})

test('a retry whose import is on another page is listed by itself', () => {
  expect(nested([job('retry', { retryOf: 'a' })])).toEqual([{ job: job('retry', { retryOf: 'a' }), children: [] }])
})
