import { expect, test } from 'vitest'
import type { Schema } from '@/api/client'
import type { Row } from '../result/queries'
import { changedRow } from './useChangedRows'

const field = (name: string, kind: string) => ({ name, title: name.toLowerCase(), kind }) as Schema<'Field'>
const fields = [
  field('ID', 'uuid'),
  field('NAME', 'text'),
  field('EMAIL', 'email'),
  field('CITY', 'text'),
  field('AGE', 'integer'),
]
const read = (values: Record<string, string>) =>
  ({
    values: Object.entries(values).map(([name, text]) => ({ field: name, read: text, typed: text, code: null })),
  }) as Row

test('a change is named by the first texts of its row, and shows its other values', () => {
  const row = changedRow(read({ ID: 'b6c1', NAME: 'Ada', EMAIL: 'ada@example.org', CITY: 'Lyon', AGE: '36' }), fields)
  expect(row.name).toBe('Ada, ada@example.org')
  expect(row.values.map(({ title, value }) => `${title} ${value}`)).toContain('age 36')
})

test('empty values name nothing', () => {
  expect(changedRow(read({ NAME: '', CITY: 'Lyon' }), fields)).toEqual({
    name: 'Lyon',
    values: [{ title: 'city', kind: 'text', value: 'Lyon' }],
  })
})
