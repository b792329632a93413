import { expect, test } from 'vitest'
import type { Schema } from '@/api/client'
import { bySimilarity, nextOpen, matchOf } from './answers'

const value = (more: Partial<Schema<'CellMapping'>>) =>
  ({
    id: 1,
    status: 'UNRESOLVED',
    targetEntityId: null,
    targetValue: null,
    create: false,
    empty: false,
    suggestions: [],
    ...more,
  }) as Schema<'CellMapping'>

test('only open values are matched by similarity, and only to very similar candidates', () => {
  const near = { id: 7, displayName: 'Senior', score: 0.9 }
  expect(
    bySimilarity([
      value({ id: 1, suggestions: [near] }),
      value({ id: 2, suggestions: [{ ...near, score: 0.4 }] }),
      value({ id: 3, status: 'CONFIRMED' as never, suggestions: [near] }),
      value({ id: 4, suggestions: [{ value: 'FEMALE', displayName: 'female', score: 0.8 }] }),
      value({ id: 5 }),
    ]),
  ).toEqual([
    { id: 1, targetEntityId: 7 },
    { id: 4, targetValue: 'FEMALE' },
  ])
})

test('the next open value follows an answer and wraps around at the end', () => {
  const values = [
    value({ id: 1 }),
    value({ id: 2, status: 'CONFIRMED' as never }),
    value({ id: 3 }),
    value({ id: 4, status: 'CONFIRMED' as never }),
  ]
  expect([nextOpen(values, 0), nextOpen(values, 1), nextOpen(values, 2), nextOpen([values[1]!], 0)]).toEqual([
    2, 2, 0, 0,
  ])
})

test('each answer has its own text', () => {
  const confirmed = { status: 'CONFIRMED' as never }
  expect(matchOf(value({})).is).toBe('open')
  expect(matchOf(value({ ...confirmed, create: true })).is).toBe('create')
  expect(matchOf(value({ ...confirmed, empty: true })).is).toBe('empty')
  expect(matchOf(value(confirmed)).is).toBe('ignored')
  expect(matchOf(value({ ...confirmed, targetEntityId: 4, suggestions: [{ id: 4, displayName: 'Junior' }] }))).toEqual({
    is: 'entity',
    name: 'Junior',
  })
})
