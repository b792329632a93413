import type { Schema } from '@/api/client'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'

type Name = 'undo.retries' | 'undo.retries.included' | 'undo.retries.kept'

/** Returns a function that writes a text about retries, with their number and that of their changes. */
export function useRetriesText() {
  const text = useText()
  const { count } = useFormat()
  return (name: Name, { count: retries, changes }: NonNullable<Schema<'UndoRetries'>>) =>
    text(name, { count: retries, changes: text('undo.count', { count: changes, shown: count(changes) }) })
}
