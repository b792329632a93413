import { expect, test } from 'vitest'
import { surpassed } from './guards'

const summary = {
  tables: [{ table: 'users', created: 3, updated: 9, deleted: 0 }],
  fields: [{ table: 'users', field: 'EMAIL', changed: 5, filled: 0, emptied: 0, rises: [], falls: [], examples: [] }],
}

test('the guards that a plan exceeds are listed with their limits', () => {
  expect(surpassed({ created: '3', updated: '5%', fields: { EMAIL: 4, NAME: '0' } }, summary, 100)).toEqual([
    { what: 'updated', field: '', count: 9, limit: '5%' },
    { what: 'field', field: 'EMAIL', count: 5, limit: '4' },
  ])
})

test('a plan within its guards, or without guards, exceeds none', () => {
  expect(surpassed({ created: 3, updated: '9%' }, summary, 100)).toEqual([])
  expect(surpassed(null, summary, 100)).toEqual([])
})

test('a deletion counts as created and as updated', () => {
  const deletion = { tables: [{ table: 'event_results', created: 0, updated: 1, deleted: 4 }], fields: [] }
  expect(surpassed({ created: '4', updated: '4' }, deletion, 100)).toEqual([
    { what: 'updated', field: '', count: 5, limit: '4' },
  ])
})
