import { expect, test } from 'vitest'
import type { Schema } from '@/api/client'
import { choicesOf, emptyRow, toFilters } from './filters'

const field = (column: string, kind: Schema<'Field'>['kind'], values?: string[]): Schema<'Field'> => ({
  name: column.toUpperCase(),
  column,
  title: column,
  kind,
  isRequired: false,
  aliases: [],
  ...(values && { values }),
})
const fields = [
  field('role', 'enum', ['editor', 'author']),
  field('joined', 'date'),
  field('email', 'email'),
  field('active', 'boolean'),
]

test('filters are values, lists and ranges', () => {
  const rows = [
    { ...emptyRow('role'), values: 'editor' },
    { ...emptyRow('email'), values: ' a@x.org, b@x.org ,' },
    { ...emptyRow('joined'), from: '2026-01-01', before: ' ' },
  ]
  expect(toFilters(rows, fields, '11')).toEqual({
    context_id: 11,
    role: 'editor',
    email: ['a@x.org', 'b@x.org'],
    joined: { from: '2026-01-01' },
  })
})

test('empty filters and unknown fields are omitted', () => {
  expect(
    toFilters([emptyRow('role'), emptyRow('joined'), { ...emptyRow('planet'), values: 'Mars' }], fields, null),
  ).toEqual({})
})

test('fields with few values have options', () => {
  expect(fields.map(choicesOf)).toEqual([['editor', 'author'], null, null, ['true', 'false']])
})
