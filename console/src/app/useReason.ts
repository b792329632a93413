import { ApiError } from '@/api/problem'
import { useText } from '@/i18n/messages'

/** Says in a sentence why something could not be loaded, for choices, which have no room for a face; undefined where it could. */
export function useReason(): (error: Error | null) => string | undefined {
  const text = useText()
  return (error) => (error instanceof ApiError && error.unreachable ? text('face.unreachable') : error?.message)
}
