import { expect, test } from 'vitest'
import { bounded } from './bounded'

test('a large count is shortened', () => {
  expect([1, 99, 100, 12_000].map(bounded)).toEqual(['1', '99', '99+', '99+'])
})
