import { useIntl } from 'react-intl'
import type { Schema } from '@/api/client'
import { useText } from './messages'
import { written } from './values'

/** Formats numbers, sizes and times for the current language. */
export function useFormat() {
  const intl = useIntl()
  const text = useText()
  return {
    count: (n: number) => intl.formatNumber(n),
    /** A fraction from 0 to 1 as a percentage. */
    percent: (share: number) => intl.formatNumber(share, { style: 'percent' }),
    /** A size in bytes, to two or three digits. */
    size: (bytes: number) => {
      const step = Math.min(3, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
      const unit = (['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const)[step]!
      return intl.formatNumber(bytes / 1000 ** step, {
        style: 'unit',
        unit,
        unitDisplay: step === 0 ? 'long' : 'short',
        maximumSignificantDigits: step === 0 ? 3 : 2 + Number(bytes / 1000 ** step >= 100),
      })
    },
    /** Relative time; a date if it is more than a week ago. */
    ago: (iso: string) => {
      const seconds = (Date.parse(iso) - Date.now()) / 1000
      if (seconds > -45) return text('format.justNow')
      if (seconds > -3600) return intl.formatRelativeTime(Math.round(seconds / 60), 'minute')
      if (seconds > -86400) return intl.formatRelativeTime(Math.round(seconds / 3600), 'hour')
      if (seconds > -7 * 86400) return intl.formatRelativeTime(Math.round(seconds / 86400), 'day', { numeric: 'auto' })
      return intl.formatDate(iso, { dateStyle: 'medium' })
    },
    /** A field value as returned by the API. */
    value: (kind: Schema<'Field'>['kind'], kept: string) =>
      written(intl, kind, kept, { yes: text('format.yes'), no: text('format.no') }),
    /** The time of day. */
    clock: (iso: string) => intl.formatTime(iso, { timeStyle: 'short' }),
    moment: (iso: string) => intl.formatDate(iso, { dateStyle: 'medium', timeStyle: 'short' }),
    /** A duration such as "2 min". */
    duration: (seconds: number) => {
      if (seconds < 60)
        return intl.formatNumber(Math.max(1, Math.round(seconds)), {
          style: 'unit',
          unit: 'second',
          unitDisplay: 'short',
        })
      if (seconds < 3600)
        return intl.formatNumber(Math.round(seconds / 60), { style: 'unit', unit: 'minute', unitDisplay: 'short' })
      return intl.formatNumber(seconds / 3600, {
        style: 'unit',
        unit: 'hour',
        unitDisplay: 'short',
        maximumFractionDigits: 1,
      })
    },
  }
}
