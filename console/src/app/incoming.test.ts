import { expect, test, vi } from 'vitest'
import { isTable, offerFile, onFile, takeFile } from './incoming'

test('only tables are taken from the clipboard', () => {
  expect(isTable('Name\tEmail\nAda\tada@example.org')).toBe(true)
  expect(isTable('Name;Email\r\nAda;ada@example.org\r\n')).toBe(true)
  expect(isTable('Dear Ada,\nhow are you?')).toBe(false)
  expect(isTable('ada@example.org')).toBe(false)
})

test('an offered file is taken once', () => {
  const changed = vi.fn()
  const stop = onFile(changed)
  const file = new File(['a'], 'a.csv')
  offerFile(file)
  stop()
  offerFile(file)
  expect(changed).toHaveBeenCalledOnce()
  expect(takeFile()).toBe(file)
  expect(takeFile()).toBeNull()
})
