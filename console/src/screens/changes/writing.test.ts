import { expect, test } from 'vitest'
import { isAboutWriting, isTimeOfWriting } from './writing'

const begun = '2026-11-22T10:00:00Z'
const change = (field: string, after: string | null, before: string | null = null) => ({ field, before, after })

test('the time of a write is no change; a time in the file is one', () => {
  expect(isTimeOfWriting(change('UPDATED_AT', '2026-11-22 10:00:01.5+00'), begun)).toBe(true)
  expect(isTimeOfWriting(change('created_at', '2026-11-22 12:00:01+02'), begun)).toBe(true)
  expect(isTimeOfWriting(change('UPDATED_AT', '2019-03-01 00:00:00+00'), begun)).toBe(false)
  expect(isTimeOfWriting(change('PUBLISHED_AT', '2026-11-22 10:00:01+00'), begun)).toBe(false)
  expect(isTimeOfWriting(change('UPDATED_AT', null), begun)).toBe(false)
})

test('a field is omitted if all its examples are times of writes', () => {
  const noted = { before: '2026-11-21 10:00:00+00', after: '2026-11-22 10:00:01+00' }
  expect(isAboutWriting({ field: 'UPDATED_AT', examples: [noted] }, begun)).toBe(true)
  expect(
    isAboutWriting(
      { field: 'UPDATED_AT', examples: [noted, { before: null, after: '2019-03-01 00:00:00+00' }] },
      begun,
    ),
  ).toBe(false)
  expect(isAboutWriting({ field: 'UPDATED_AT', examples: [] }, begun)).toBe(false)
})
