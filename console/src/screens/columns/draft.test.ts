import { expect, test } from 'vitest'
import type { Schema } from '@/api/client'
import {
  addColumn,
  convertFrom,
  dropColumn,
  ignore,
  isWritten,
  joinedNames,
  make,
  missingFields,
  named,
  splitNames,
  unitConflict,
  usesOf,
  wordsStep,
  type Draft,
  type Step,
} from './draft'
import { kinds, newStep } from './steps'

const column = (columnIndex: number, sourceHeader: string, more: Partial<Schema<'ColumnMapping'>> = {}) =>
  ({
    columnIndex,
    sourceHeader,
    samples: [],
    candidates: [],
    kind: 'text',
    ...more,
  }) as unknown as Schema<'ColumnMapping'>
const field = (name: string, isRequired = false) =>
  ({ name, isRequired, title: name, aliases: [], kind: 'text', column: name }) as Schema<'Field'>
const candidates = [{ field: 'LAST_NAME', score: 0.6, reason: 'similar' as const }]

test('columns have the names of the API, and entries without a column are omitted', () => {
  expect(
    named([column(2, ''), column(0, 'Mail'), column(1, ' Mail '), column(-1, 'x')]).map(({ name }) => name),
  ).toEqual(['Mail', 'Mail#2', '#3'])
})

test('columns are added to a field in order, and removing the last one removes the mapping', () => {
  const joined = addColumn(addColumn({ ignore: ['B'] }, 'EMAIL', 'A'), 'EMAIL', 'B')
  expect(joined).toEqual({ fields: [{ field: 'EMAIL', from: ['A', 'B'], separator: ' ' }], ignore: [] })
  expect(addColumn(joined, 'EMAIL', 'A')).toBe(joined)
  expect(dropColumn(dropColumn(joined, 'EMAIL', 'A'), 'EMAIL', 'B').fields).toEqual([])
})

test('a column replaces a constant', () => {
  expect(addColumn(make({}, 'ID_COUNTRY', { constant: 'FR' }), 'ID_COUNTRY', 'Pays').fields).toEqual([
    { field: 'ID_COUNTRY', from: ['Pays'], separator: ' ' },
  ])
  expect([
    isWritten({}),
    isWritten(make({}, 'ID_COUNTRY', { constant: '' })),
    isWritten(make({}, 'ID_COUNTRY', { constant: 'FR' })),
  ]).toEqual([true, false, true])
})

test('values are the distinct samples, and a step without values is incomplete', () => {
  expect(wordsStep(['Oui', ' oui', 'Non', ''])).toEqual({
    op: 'map',
    values: { oui: 'oui', Non: 'Non' },
    otherwise: 'keep',
  })
  expect(
    [wordsStep([]), wordsStep(['Oui'])].map((step) =>
      isWritten(make({}, 'ACTIVE', { from: ['Actif'], transforms: [step] })),
    ),
  ).toEqual([false, true])
})

test('a new step is incomplete until its arguments are set, so that it changes nothing', () => {
  const kept = (step: Step) => isWritten(make({}, 'NAME', { from: ['Name'], transforms: [step] }))
  expect(kinds.filter((op) => kept(newStep(op, [])))).toEqual(['title', 'upper', 'lower', 'trim'])
  expect(kept({ ...newStep('split', []), part: -1 })).toBe(true)
  expect(kept({ ...newStep('replace', []), old: 'Dr. ' })).toBe(true)
})

test('an ignored column has no mapping', () => {
  const draft: Draft = addColumn(addColumn({}, 'A', 'x'), 'B', 'x')
  expect(usesOf(draft, 'x')).toEqual(['A', 'B'])
  expect(ignore(draft, 'x', true)).toEqual({ fields: [], ignore: ['x'] })
})

test('joined names are detected and split, at a comma if there is one', () => {
  const fields = [field('FIRST_NAME', true), field('LAST_NAME', true)]
  const spaced = named([column(0, 'Nom complet', { samples: ['Ada Lovelace', 'Ute van Dam'], candidates })])
  expect(joinedNames({}, spaced, fields)?.name).toBe('Nom complet')
  expect(
    joinedNames(
      {},
      named([column(0, 'Nom complet', { samples: ['Ada Lovelace', 'Total', 'Ute van Dam'], candidates })]),
      fields,
    )?.name,
  ).toBe('Nom complet')
  expect(joinedNames({}, named([column(0, 'Nom', { samples: ['Lovelace'], candidates })]), fields)).toBeUndefined()
  expect(missingFields(splitNames({}, spaced[0]!), fields)).toEqual([])
  const comma = splitNames({}, named([column(0, 'Qui', { samples: ['Lang, Ute'], candidates })])[0]!)
  expect(comma.fields?.find((each) => each.field === 'FIRST_NAME')?.transforms).toEqual([
    { op: 'split', separator: ',', part: 2, rest: true },
  ])
})

test('another unit in the header is a conflict until a step converts the values', () => {
  const unit = { field: 'TOTAL_WEIGHT', expected: 'kg', found: 'g', convert: { op: 'convert' as const, unit: 'g' } }
  const columns = named([
    column(0, 'Weight (g)', { unit }),
    column(1, 'Weight (kg)', { unit: { ...unit, found: 'kg' } }),
  ])
  const draft = addColumn({}, 'TOTAL_WEIGHT', 'Weight (g)')
  expect(unitConflict(draft, 'TOTAL_WEIGHT', columns)).toBe(columns[0]?.unit)
  expect(unitConflict(addColumn({}, 'COD_AMOUNT', 'Weight (g)'), 'COD_AMOUNT', columns)).toBeNull()
  expect(unitConflict(addColumn({}, 'TOTAL_WEIGHT', 'Weight (kg)'), 'TOTAL_WEIGHT', columns)).toBeNull()
  const converted = convertFrom(draft, 'TOTAL_WEIGHT', 'g')
  expect(converted.fields?.[0]?.transforms).toEqual([{ op: 'convert', unit: 'g' }])
  expect(unitConflict(converted, 'TOTAL_WEIGHT', columns)).toBeNull()
})
