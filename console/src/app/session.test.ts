import { expect, test } from 'vitest'
import { ownAddress } from './session'

test('sign-in returns to addresses of this console only', () => {
  expect(ownAddress('/imports/1?page=2')).toBe('/imports/1?page=2')
  expect(ownAddress('/')).toBe('/')
  for (const address of [
    '//evil.example/phish',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '',
  ])
    expect(ownAddress(address), address).toBe('/')
})
