import { expect, test } from 'vitest'
import { readFilter, toQuery, writeFilter } from './filter'

test('a filter survives the conversion to an address and back', () => {
  const filter = { show: 'failed', type: 'USER', text: 'ros ter&', page: 2 } as const
  const query = writeFilter(new URLSearchParams('lang=de'), filter)
  expect(readFilter(query)).toEqual(filter)
  expect(query.get('lang')).toBe('de')
  expect(toQuery(filter)).toEqual({
    size: 25,
    page: 2,
    status: ['FAILED', 'CANCELLED'],
    importType: 'USER',
    filename: 'ros ter&',
  })
})

test('the API finds imports that wait for a person', () => {
  expect(toQuery(readFilter(new URLSearchParams('show=waiting')))).toEqual({ size: 25, waiting: true })
  expect(toQuery(readFilter(new URLSearchParams('show=active')))).toEqual({ size: 25, active: true })
})

test('invalid parts of an address are ignored', () => {
  expect(readFilter(new URLSearchParams('show=nothing&page=-3'))).toEqual({ show: 'all', type: '', text: '', page: 0 })
  expect(writeFilter(new URLSearchParams('page=4&show=failed'), readFilter(new URLSearchParams())).toString()).toBe('')
  expect(toQuery(readFilter(new URLSearchParams()))).toEqual({ size: 25 })
})
