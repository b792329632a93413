import { expect, test } from 'vitest'
import { faultGroups, isWhole, likelyStep, readFilter, writeFilter } from './filter'

test('a filter survives its way to the address and back', () => {
  const filter = { show: 'open', field: 'JOINED_ON', code: 'CELL_DATE', text: 'x & y' } as const
  expect(readFilter(writeFilter(filter))).toEqual(filter)
  expect(String(writeFilter(readFilter(new URLSearchParams('show=nonsense'))))).toBe('')
  expect(isWhole(readFilter(new URLSearchParams()))).toBe(true)
  expect(isWhole(filter)).toBe(false)
})

test('faults are grouped without the rows that have none', () => {
  const error = { outcome: 'ERROR' as const, field: 'A', code: 'CELL_DATE', rows: 3 }
  expect(faultGroups([{ outcome: 'CREATED', field: '', code: '', rows: 9 }, error])).toEqual([error])
})

test('dates are offered a date, numbers another mark', () => {
  expect([likelyStep('CELL_DATE'), likelyStep('CELL_NUMBER'), likelyStep('CELL_ENUM')]).toEqual([
    'date',
    'replace',
    'map',
  ])
})
