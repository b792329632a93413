/** The theme that a person chose; `system` follows the machine's. */
export type Theme = 'system' | 'light' | 'dark'

const key = 'loadbay.theme'

/** The theme that was chosen on this machine. */
export function chosenTheme(): Theme {
  const kept = localStorage.getItem(key)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** Shows a theme, and keeps it for the next visit. */
export function setTheme(theme: Theme): void {
  localStorage.setItem(key, theme)
  applyTheme(theme)
}

/** Shows a theme. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
