import { expect, test } from 'vitest'
import { differences, linesOf } from './difference'

const profile = {
  name: 'Club',
  auto: false,
  headers: ['Nom', 'Courriel'],
  mapping: {
    fields: [
      { field: 'NAME', from: ['Prénom', 'Nom'], separator: ' ' },
      { field: 'EMAIL', from: ['Courriel'], separator: '' },
    ],
  },
}

test('equal versions have no differences', () => {
  expect(differences(linesOf(profile), linesOf({ ...profile }))).toEqual([])
})

test('changed, added and removed lines are distinguished', () => {
  const later = {
    ...profile,
    auto: true,
    mapping: {
      fields: [
        { field: 'NAME', from: ['Nom'], separator: '' },
        { field: 'ROLE', separator: '', constant: 'user' },
      ],
      values: [{ field: 'ROLE', value: 'rédacteur', to: 'editor' }],
    },
  }
  expect(
    differences(linesOf(profile), linesOf(later)).map(({ about, before, after }) => [about, before, after]),
  ).toEqual([
    ['auto', 'false', 'true'],
    ['NAME', 'Prénom “ ” Nom', 'Nom'],
    ['ROLE', null, '“user”'],
    ['ROLE “rédacteur”', null, 'editor'],
    ['EMAIL', 'Courriel', null],
  ])
})
