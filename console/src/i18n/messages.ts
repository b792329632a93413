import { useIntl } from 'react-intl'
import type en from './en.json'

/** The keys of the texts: those of a screen begin with its folder's name. */
export type MessageKey = keyof typeof en

type Values = Record<string, string | number | Date | boolean | null | undefined>

/** What translates keys. A key that is not in en.json does not compile. */
export function useText() {
  const intl = useIntl()
  return (id: MessageKey, values?: Values): string => intl.formatMessage({ id }, values)
}
