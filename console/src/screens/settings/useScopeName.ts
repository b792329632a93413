import { useIntl } from 'react-intl'
import { useText } from '@/i18n/messages'

/** Returns a function that names a scope. A scope that the console does not know keeps its own name. */
export function useScopeName(): (scope: string) => string {
  const text = useText()
  const { messages } = useIntl()
  return (scope) =>
    `keys.scope.${scope}` in messages ? text(`keys.scope.${scope}` as 'keys.scope.imports:read') : scope
}
