import { expect, test } from 'vitest'
import type { Settings } from '@/api/organisation'
import { toForm, toPatch } from './form'

const settings = {
  review: 'always',
  mode: null,
  dateOrder: null,
  decimalMark: ',',
  encoding: null,
  timeZone: 'Europe/Paris',
  maxErrors: '2.5%',
  mailDomains: ['a.org', 'b.org'],
  undoDays: 30,
  approval: null,
  guards: null,
} as Settings

test('an untouched form changes nothing', () => {
  expect(toPatch(toForm(settings), settings)).toEqual({})
})

test('emptied settings are reset, and values have their type', () => {
  expect(
    toPatch(
      {
        ...toForm(settings),
        review: '',
        undoDays: '7',
        mailDomains: 'c.org,  d.org',
        maxErrors: '100',
        timeZone: ' Europe/Paris ',
      },
      settings,
    ),
  ).toEqual({ review: null, undoDays: 7, mailDomains: ['c.org', 'd.org'], maxErrors: '100' })
})

test('guards are parsed and removed', () => {
  const guarded = { ...settings, guards: { created: '1000', fields: { EMAIL: '20' } } } as Settings
  expect(toPatch(toForm(guarded), guarded)).toEqual({})
  expect(
    toPatch({ ...toForm(guarded), 'guards.updated': '10%', 'guards.fields': 'EMAIL 20, NAME: 5%' }, guarded),
  ).toEqual({ guards: { created: '1000', updated: '10%', fields: { EMAIL: '20', NAME: '5%' } } })
  expect(toPatch({ ...toForm(guarded), 'guards.created': '', 'guards.fields': ' ' }, guarded)).toEqual({ guards: null })
})
