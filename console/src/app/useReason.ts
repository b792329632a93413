import { ApiError } from '@/api/problem'
import { useText } from '@/i18n/messages'

/** The reason why loading failed, for selects, which have no room for an error panel; undefined on success. */
export function useReason(): (error: Error | null) => string | undefined {
  const text = useText()
  return (error) => (error instanceof ApiError && error.unreachable ? text('face.unreachable') : error?.message)
}
