import type { IntlShape } from 'react-intl'
import type { Schema } from '@/api/client'

/** Parses a database timestamp such as `2026-11-22 10:51:44.78+00` to milliseconds since 1970; NaN if it is invalid. */
export const momentOf = (text: string): number => Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'))

/** Formats a stored value for its kind in the current language. Values that do not parse are returned unchanged. */
export function written(
  intl: Pick<IntlShape, 'formatDate' | 'formatNumber'>,
  kind: Schema<'Field'>['kind'],
  text: string,
  words: { yes: string; no: string },
): string {
  switch (kind) {
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(text)
        ? intl.formatDate(`${text}T00:00:00Z`, { dateStyle: 'medium', timeZone: 'UTC' })
        : text
    case 'timestamp':
      return Number.isNaN(momentOf(text))
        ? text
        : intl.formatDate(momentOf(text), { dateStyle: 'medium', timeStyle: 'medium' })
    case 'boolean':
      return { t: words.yes, true: words.yes, f: words.no, false: words.no }[text] ?? text
    case 'decimal':
      return decimal(intl, text)
    default:
      return text
  }
}

/** Formats a number with all its digits. Numbers beyond JavaScript's precision are returned unchanged. */
function decimal(intl: Pick<IntlShape, 'formatNumber'>, text: string): string {
  const [, whole, fraction = ''] = /^-?(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined || whole.length + fraction.length > 15) return text
  return intl.formatNumber(Number(text), {
    minimumFractionDigits: fraction.length,
    maximumFractionDigits: fraction.length,
  })
}
