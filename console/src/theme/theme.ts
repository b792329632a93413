/** The selected theme; `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark'

const key = 'loadbay.theme'

/** The theme saved on this machine. */
export function chosenTheme(): Theme {
  const kept = localStorage.getItem(key)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** Applies a theme and saves it for the next visit. */
export function setTheme(theme: Theme): void {
  localStorage.setItem(key, theme)
  applyTheme(theme)
}

/** Applies a theme. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
