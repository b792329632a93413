import { expect, test } from 'vitest'
import type { ImportJob } from '@/api/imports'
import type { Schema } from '@/api/client'
import { footerFrom, headerAt, shownRows, widthOf, sameReading } from './change'

const row = (number: number, cells = 1) =>
  ({
    number,
    part: 'DATA',
    cells: Array.from({ length: cells }, () => ({ text: 'x', kind: 'TEXT' })),
  }) as Schema<'PreviewRow'>

test('a header of several rows does not start above the first row', () => {
  expect(headerAt(1, 2)).toEqual({ headerRow: 1, headerRows: 1 })
  expect(headerAt(5, 2)).toEqual({ headerRow: 5, headerRows: 2 })
})

test('a footer reaches from its row to the end, and blank rows do not count', () => {
  expect(footerFrom(9, [row(5), row(8), row(9), row(12)])).toEqual({ skipFooterRows: 2 })
  expect(footerFrom(9, null)).toEqual({ skipFooterRows: 0 })
})

test('no row is shown twice', () => {
  const { head, tail } = shownRows({
    rows: [row(1), row(2)],
    lastRows: [row(1), row(2), row(3, 4)],
  } as Schema<'Preview'>)
  expect([...head, ...tail].map(({ number }) => number)).toEqual([1, 2, 3])
  expect(widthOf(tail)).toBe(4)
})

test('a file is read again as before with the first option that is not set', () => {
  const detected = { headerRow: 3, encoding: 'utf-8', delimiter: ';' } as ImportJob['detected']
  expect(sameReading({ options: {}, detected })).toEqual({ headerRow: 3 })
  expect(sameReading({ options: { headerRow: 3 }, detected })).toEqual({ encoding: 'utf-8' })
  expect(sameReading({ options: {}, detected: null })).toBeNull()
})
