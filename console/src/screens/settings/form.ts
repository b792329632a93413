import type { Schema } from '@/api/client'
import type { Settings } from '@/api/organisation'

/** Settings with fixed values, and the values. */
export const choices = {
  review: ['always', 'unsure', 'never'],
  mode: ['insert', 'upsert', 'update'],
  approval: ['any', 'other'],
  dateOrder: ['dmy', 'mdy', 'ymd'],
  decimalMark: ['.', ','],
} as const satisfies Partial<Record<keyof Settings, readonly string[]>>

/** Settings with free text. */
export const typed = ['encoding', 'timeZone', 'maxErrors', 'undoDays', 'mailDomains'] as const

/** Limits of changes without approval: numbers of rows or percentages. */
export const guards = ['guards.created', 'guards.updated', 'guards.fields'] as const

export type Choice = keyof typeof choices
export type Form = Record<Choice | (typeof typed)[number] | (typeof guards)[number], string>

/** The settings as edited in the form; defaults are empty. */
export function toForm(settings: Settings): Form {
  const all = [...(Object.keys(choices) as Choice[]), ...typed]
  const { created, updated, fields } = settings.guards ?? {}
  return {
    ...Object.fromEntries(
      all.map((name) => [
        name,
        Array.isArray(settings[name]) ? settings[name].join(', ') : String(settings[name] ?? ''),
      ]),
    ),
    'guards.created': String(created ?? ''),
    'guards.updated': String(updated ?? ''),
    'guards.fields': Object.entries(fields ?? {})
      .map(([field, most]) => `${field} ${most}`)
      .join(', '),
  } as Form
}

/** The changes in the form: unchanged settings are omitted, empty ones are reset. */
export function toPatch(form: Form, settings: Settings): Schema<'SettingsPatch'> {
  const before = toForm(settings)
  const changed = (Object.keys(form) as (keyof Form)[]).filter((name) => form[name].trim() !== before[name])
  const patch = Object.fromEntries(
    changed.filter((name) => !isGuard(name)).map((name) => [name, valueOf(name, form[name].trim())]),
  )
  return changed.some(isGuard) ? { ...patch, guards: guardsOf(form) } : patch
}

const isGuard = (name: keyof Form): boolean => (guards as readonly string[]).includes(name)

/** Parses the approval limits as typed, with fields as in "EMAIL 20, NAME 5%"; null if all are empty. */
function guardsOf(form: Form): Schema<'Guards'> | null {
  const fields: Record<string, string> = Object.fromEntries(
    form['guards.fields']
      .split(',')
      .map((each) => each.trim().split(/[\s:]+/))
      .filter(([field]) => field)
      .map(([field = '', most = '']): [string, string] => [field, most]),
  )
  const limits = {
    ...(form['guards.created'].trim() && { created: form['guards.created'].trim() }),
    ...(form['guards.updated'].trim() && { updated: form['guards.updated'].trim() }),
    ...(Object.keys(fields).length > 0 && { fields }),
  }
  return Object.keys(limits).length > 0 ? limits : null
}

function valueOf(name: keyof Form, text: string): string | number | string[] | null {
  if (!text) return null
  if (name === 'undoDays') return Number(text)
  if (name === 'mailDomains') return text.split(/[\s,]+/).filter(Boolean)
  return text
}
