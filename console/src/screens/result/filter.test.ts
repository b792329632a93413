import { expect, test } from 'vitest'
import { faultGroups, isWhole, readFilter, writeFilter } from './filter'

test('a filter survives the conversion to an address and back', () => {
  const filter = { show: 'open', field: 'JOINED_ON', code: 'CELL_DATE', text: 'x & y' } as const
  expect(readFilter(writeFilter(filter))).toEqual(filter)
  expect(String(writeFilter(readFilter(new URLSearchParams('show=nonsense'))))).toBe('')
  expect(isWhole(readFilter(new URLSearchParams()))).toBe(true)
  expect(isWhole(filter)).toBe(false)
})

test('errors are grouped without valid rows', () => {
  const error = { outcome: 'ERROR' as const, field: 'A', code: 'CELL_DATE', rows: 3 }
  expect(faultGroups([{ outcome: 'CREATED', field: '', code: '', rows: 9 }, error])).toEqual([error])
})
