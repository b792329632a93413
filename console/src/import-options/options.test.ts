import { expect, test } from 'vitest'
import en from '@/i18n/en.json'
import { changedOptions, choicesOf, importOptions, optionsOf, snakeName } from './options'

test('every declared option has a title, an explanation and names of its values', () => {
  for (const option of importOptions) {
    const keys = ['', '.about'].map((part) => `option.${option.name}${part}`)
    const values = choicesOf(option).map((id) => `new.option.${id}`)
    expect(Object.keys(en)).toEqual(expect.arrayContaining([...keys, ...values]))
  }
})

test('only changed options are sent', () => {
  const before = optionsOf({ other: 1 })
  expect(changedOptions(before, before)).toEqual({})
  for (const { name } of importOptions) {
    expect(before[name]).toBeNull()
    expect(changedOptions({ ...before, [name]: true }, before)).toEqual({ [name]: true })
  }
})

test('options have other names in /v1', () => expect(snakeName('maxErrors')).toBe('max_errors'))
