/** What the keys do. `search` and `help` open dialogs. */
export type Shortcut = 'search' | 'find' | 'new' | 'help' | 'next' | 'previous'

/** The single keys, which can be switched off. */
export const singleKeys: [key: string, does: Exclude<Shortcut, 'search'>][] = [
  ['/', 'find'],
  ['n', 'new'],
  ['j', 'next'],
  ['k', 'previous'],
  ['?', 'help'],
]

/** Where keys belong to the element that has the focus. */
const busy =
  'input, textarea, select, [contenteditable], [role=grid], [role=dialog], [role=alertdialog], [role=listbox], [role=menu], [role=tablist]'

/** The shortcut of a key; null if there is none, or if the key belongs to the focused element. */
export function shortcutOf(event: KeyboardEvent, isOn: boolean): Shortcut | null {
  const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event
  if (defaultPrevented || altKey) return null
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' ? 'search' : null
  if (!isOn || (target instanceof Element && target.closest(busy))) return null
  return singleKeys.find(([each]) => each === key)?.[1] ?? null
}

const store = 'loadbay.single-keys'

/** Whether single keys act in this browser. */
export const hasSingleKeys = (): boolean => localStorage.getItem(store) !== 'off'

export function setSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(store)
  else localStorage.setItem(store, 'off')
}

/** Focuses the next or previous entry of the list on screen. */
export function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main tbody tr')].filter((row) => row.querySelector('a'))
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by
  const link = rows[next]?.querySelector('a')
  link?.focus()
  link?.scrollIntoView({ block: 'nearest' })
}

/** Focuses the search field of the screen; false if it has none. */
export function find(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]')
  field?.focus()
  field?.select()
  return field !== null
}
