import { expect, test } from 'vitest'
import { addColumn, ignore, make, type Draft } from './draft'
import { merge } from './merge'

const base: Draft = { fields: [{ field: 'EMAIL', from: ['Mail'], separator: ' ' }], ignore: ['Notes'] }

test('what two people say of different fields and columns is kept', () => {
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

test('of what both have changed what was said here holds, and is told', () => {
  const { draft, over } = merge(
    base,
    make(base, 'EMAIL', { from: ['Work mail'] }),
    make(base, 'EMAIL', { from: ['Home mail'] }),
  )
  expect(draft.fields).toEqual([{ field: 'EMAIL', from: ['Work mail'] }])
  expect(over).toEqual(['EMAIL'])
})

test('a column that somebody makes a field of is left out no more', () => {
  const { draft } = merge(base, addColumn(base, 'REMARKS', 'Notes'), ignore(base, 'Mail', true))
  expect(draft.ignore).toEqual(['Mail'])
  expect(draft.fields).toEqual([{ field: 'REMARKS', from: ['Notes'], separator: ' ' }])
})

test('what is written otherwise and means the same is no change', () => {
  const theirs: Draft = {
    fields: [{ field: 'EMAIL', from: ['Mail'], separator: ' ', transforms: [] }],
    ignore: ['Notes'],
  }
  expect(merge(base, make(base, 'EMAIL', { from: ['Other'] }), theirs).over).toEqual([])
})
