import type { Schema } from '@/api/client'
import { useText } from '@/i18n/messages'

const orders = ['dmy', 'mdy', 'ymd'] as const

/** Describes a column that mixes date formats, with the number of cells that have only one reading; null for any other. */
export function useMixedDates() {
  const text = useText()
  return (reading: Schema<'ColumnReading'>): string | null => {
    const counts = reading?.decidingByOrder
    if (!counts) return null
    const found = orders.flatMap((id) =>
      counts[id] ? [text('columns.mixed.order', { count: counts[id], order: text(`columns.dateOrder.${id}`) })] : [],
    )
    if (reading.ambiguousCells) found.push(text('columns.mixed.ambiguous', { count: reading.ambiguousCells }))
    return text('columns.mixed', { found: found.join(' · ') })
  }
}
