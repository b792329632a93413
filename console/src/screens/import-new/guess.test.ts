import { expect, test } from 'vitest'
import type { Head } from '@/reader/look'
import { beginningOf } from './guess'

const row = (part: 'ABOVE' | 'HEADER' | 'DATA', ...texts: string[]) => ({
  number: 1,
  part,
  cells: texts.map((text) => ({ text, cut: false })),
})

test('the headers and the first rows below them are sent, with short cells', () => {
  const head = {
    detected: { header: ['Name', 'Note'] },
    rows: [
      row('ABOVE', 'Our members'),
      row('HEADER', 'Name', 'Note'),
      ...Array.from({ length: 7 }, (_, n) => row('DATA', `Ada ${n}`, 'x'.repeat(200))),
    ],
  } as unknown as Head
  const { headers, rows } = beginningOf(head)
  expect(headers).toEqual(['Name', 'Note'])
  expect(rows).toHaveLength(5)
  expect(rows![0]).toEqual(['Ada 0', 'x'.repeat(80)])
})
