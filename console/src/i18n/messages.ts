import { useIntl } from 'react-intl'
import type en from './en.json'

/** The keys of the texts. Keys of a screen begin with the name of its folder. */
export type MessageKey = keyof typeof en

type Values = Record<string, string | number | Date | boolean | null | undefined>

/** Returns the translation function. Keys that are not in en.json do not compile. */
export function useText() {
  const intl = useIntl()
  return (id: MessageKey, values?: Values): string => intl.formatMessage({ id }, values)
}
