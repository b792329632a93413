import { expect, test } from 'vitest'
import type { Schema } from '@/api/client'
import { bestOf } from './guess'

const of = (name: string, known: number, isComplete = true) => ({
  type: { name } as Schema<'ImportType'>,
  known,
  count: 15,
  isComplete,
})

test('the type is guessed that knows most columns and misses none', () => {
  expect(bestOf([of('USER', 8), of('ORDER', 13), of('RESULT', 14, false)])).toMatchObject({
    type: { name: 'ORDER' },
    known: 13,
    count: 15,
  })
})

test('nothing is guessed if two types fit equally well, or if hardly any column is known', () => {
  expect(bestOf([of('USER', 13), of('ORDER', 13)])).toBeNull()
  expect(bestOf([of('USER', 7)])).toBeNull()
  expect(bestOf([])).toBeNull()
})
