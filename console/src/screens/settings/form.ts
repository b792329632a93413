import type { Schema } from '@/api/client'
import type { Settings } from '@/api/organisation'

/** Settings that are one of a few words, and the words. */
export const choices = {
  review: ['always', 'unsure', 'never'],
  mode: ['insert', 'upsert'],
  approval: ['any', 'other'],
  dateOrder: ['dmy', 'mdy', 'ymd'],
  decimalMark: ['.', ','],
} as const satisfies Partial<Record<keyof Settings, readonly string[]>>

/** Settings that are typed. */
export const typed = ['encoding', 'timeZone', 'maxErrors', 'undoDays', 'mailDomains'] as const

export type Choice = keyof typeof choices
export type Form = Record<Choice | (typeof typed)[number], string>

/** The settings as a person edits them: what is left open is empty. */
export function toForm(settings: Settings): Form {
  const all = [...(Object.keys(choices) as Choice[]), ...typed]
  return Object.fromEntries(all.map((name) => [name, Array.isArray(settings[name]) ? settings[name].join(', ') : String(settings[name] ?? '')])) as Form
}

/** What of the form is to be changed: what is as it was is left out, what is empty is left open. */
export function toPatch(form: Form, settings: Settings): Schema<'SettingsPatch'> {
  const before = toForm(settings)
  const changed = (Object.keys(form) as (keyof Form)[]).filter((name) => form[name].trim() !== before[name])
  return Object.fromEntries(changed.map((name) => [name, valueOf(name, form[name].trim())]))
}

function valueOf(name: keyof Form, text: string): string | number | string[] | null {
  if (!text) return null
  if (name === 'undoDays') return Number(text)
  if (name === 'mailDomains') return text.split(/[\s,]+/).filter(Boolean)
  return text
}
