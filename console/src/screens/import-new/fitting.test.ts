import { expect, test } from 'vitest'
import type { Schema } from '@/api/client'
import { fitting } from './fitting'

const profile = (name: string, headers: string[], auto = false) => ({ name, headers, auto }) as Schema<'ProfileSummary'>

test('the profile with the headers of the file is found, the automatic one first', () => {
  const club = profile('Club', ['Mail', 'Name'])
  expect(fitting([profile('Other', ['Mail']), club], [' Mail', 'Name'])).toBe(club)
  const automatic = profile('Automatic', ['Mail', 'Name'], true)
  expect(fitting([club, automatic], ['Mail', 'Name'])).toBe(automatic)
})

test('no profile is found for other headers, another order, or if several fit', () => {
  const club = profile('Club', ['Mail', 'Name'])
  expect(fitting([club], ['Name', 'Mail'])).toBeNull()
  expect(fitting([club, profile('Shop', ['Mail', 'Name'])], ['Mail', 'Name'])).toBeNull()
  expect(fitting([profile('Old', [])], [])).toBeNull()
})
