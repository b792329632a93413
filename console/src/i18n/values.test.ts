import { createIntl } from 'react-intl'
import { expect, test } from 'vitest'
import { momentOf, written } from './values'

const words = { yes: 'oui', no: 'non' }
const french = createIntl({ locale: 'fr-FR', timeZone: 'Europe/Paris' })

test.each([
  ['date', '2026-02-28', '28 févr. 2026'],
  ['timestamp', '2026-11-22 10:51:44.788964+00', '22 nov. 2026, 11:51:44'],
  ['boolean', 't', 'oui'],
  ['boolean', 'false', 'non'],
  ['decimal', '-12345.50', '-12\u202f345,50'],
  ['decimal', '123456789012345678.90', '123456789012345678.90'],
  ['decimal', 'NaN', 'NaN'],
  ['integer', '12345', '12345'],
  ['date', 'someday', 'someday'],
  ['text', '2026-02-28', '2026-02-28'],
] as const)('%s %s is written %s in French', (kind, text, said) =>
  expect(written(french, kind, text, words)).toBe(said),
)

test('a timestamp is parsed in any time zone of the database', () => {
  expect(momentOf('2026-11-22 10:00:00+00')).toBe(Date.UTC(2026, 10, 22, 10))
  expect(momentOf('2026-11-22 15:30:00+05:30')).toBe(Date.UTC(2026, 10, 22, 10))
  expect(momentOf('soon')).toBeNaN()
})
