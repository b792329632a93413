import { expect, test } from 'vitest'
import { addColumn, ignore, make, type Draft } from './draft'
import { merge } from './merge'

const base: Draft = { fields: [{ field: 'EMAIL', from: ['Mail'], separator: ' ' }], ignore: ['Notes'] }

test('changes of two people to different fields and columns are merged', () => {
  const mine = addColumn(base, 'NAME', 'Who')
  const theirs = ignore(addColumn(make(base, 'EMAIL', null), 'CITY', 'Town'), 'Age', true)
  const { draft, over } = merge(base, mine, theirs)
  expect(draft.fields).toEqual([
    { field: 'CITY', from: ['Town'], separator: ' ' },
    { field: 'NAME', from: ['Who'], separator: ' ' },
  ])
  expect(draft.ignore).toEqual(['Notes', 'Age'])
  expect(over).toEqual([])
})

test('the local change wins a conflict, which is reported', () => {
  const { draft, over } = merge(
    base,
    make(base, 'EMAIL', { from: ['Work mail'] }),
    make(base, 'EMAIL', { from: ['Home mail'] }),
  )
  expect(draft.fields).toEqual([{ field: 'EMAIL', from: ['Work mail'] }])
  expect(over).toEqual(['EMAIL'])
})

test('a column that is mapped is no longer ignored', () => {
  const { draft } = merge(base, addColumn(base, 'REMARKS', 'Notes'), ignore(base, 'Mail', true))
  expect(draft.ignore).toEqual(['Mail'])
  expect(draft.fields).toEqual([{ field: 'REMARKS', from: ['Notes'], separator: ' ' }])
})

test('an equivalent notation is no change', () => {
  const theirs: Draft = {
    fields: [{ field: 'EMAIL', from: ['Mail'], separator: ' ', transforms: [] }],
    ignore: ['Notes'],
  }
  expect(merge(base, make(base, 'EMAIL', { from: ['Other'] }), theirs).over).toEqual([])
})
