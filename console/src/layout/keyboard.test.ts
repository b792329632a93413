import { afterEach, expect, test } from 'vitest'
import { setSingleKeys, hasSingleKeys, shortcutOf, step } from './keyboard'

afterEach(() => {
  document.body.innerHTML = ''
})

/** The shortcut of a key that is pressed in an element. */
function press(html: string, key: string, more: KeyboardEventInit = {}, isOn = true) {
  document.body.innerHTML = html
  const event = new KeyboardEvent('keydown', { key, bubbles: true, ...more })
  document.body.firstElementChild!.dispatchEvent(event)
  return shortcutOf(event, isOn)
}

test('single keys act outside of fields, grids and dialogs', () => {
  expect(press('<button></button>', 'n')).toBe('new')
  expect(press('<main></main>', '/')).toBe('find')
  for (const own of ['<input>', '<textarea></textarea>', '<div role="grid"></div>', '<div role="dialog"></div>'])
    expect(press(own, 'n'), own).toBeNull()
  expect(press('<main></main>', 'n', { altKey: true })).toBeNull()
  expect(press('<main></main>', 'x')).toBeNull()
})

test('the search opens from everywhere, and does not depend on single keys', () => {
  expect(press('<input>', 'k', { ctrlKey: true }, false)).toBe('search')
  expect(press('<div></div>', 'K', { metaKey: true })).toBe('search')
  expect(press('<main></main>', 'n', { ctrlKey: true })).toBeNull()
})

test('single keys can be switched off in this browser', () => {
  setSingleKeys(false)
  expect(press('<main></main>', 'n', {}, hasSingleKeys())).toBeNull()
  setSingleKeys(true)
  expect(press('<main></main>', 'n', {}, hasSingleKeys())).toBe('new')
})

test('entries of a list are focused one after the other', () => {
  Element.prototype.scrollIntoView = () => undefined
  document.body.innerHTML =
    '<main><table><tbody><tr><td><a href="#a">A</a></td></tr><tr><td><a href="#b">B</a></td></tr></tbody></table></main>'
  step(1)
  step(1)
  expect(document.activeElement?.textContent).toBe('B')
  step(1)
  expect(document.activeElement?.textContent).toBe('B')
  step(-1)
  expect(document.activeElement?.textContent).toBe('A')
})
