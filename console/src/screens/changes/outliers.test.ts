import { expect, test } from 'vitest'
import type { FieldSummary } from '@/api/changes'
import { outliersFirst, suspicion } from './outliers'

const field = (name: string, changed: number, more: Partial<FieldSummary> = {}): FieldSummary => ({
  table: 'orders',
  field: name,
  changed,
  filled: 0,
  emptied: 0,
  rises: [],
  falls: [],
  examples: [],
  ...more,
})

test('fields that lose values or change a lot come before those that only change often', () => {
  const doubled = field('PRICE', 100, {
    rises: [
      { moreThanPercent: 10, count: 90 },
      { moreThanPercent: 50, count: 60 },
      { moreThanPercent: 100, count: 10 },
    ],
  })
  expect(
    outliersFirst([field('NAME', 500), field('CITY', 900), field('EMAIL', 10, { emptied: 9 }), doubled]).map(
      (each) => each.field,
    ),
  ).toEqual(['EMAIL', 'PRICE', 'CITY', 'NAME'])
})

test('a field without changes is not unusual', () => expect(suspicion(field('NAME', 0))).toBe(0))
