import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useText } from '@/i18n/messages'
import { Skeleton } from '@/ui'
import { Failure } from './Failure'

/** Renders the result of a query, its error or a loading placeholder. */
export function Loaded<Data>({
  query,
  lines,
  children,
}: {
  query: UseQueryResult<Data>
  lines?: number
  children: (data: Data) => ReactNode
}) {
  const text = useText()
  if (query.data !== undefined) return children(query.data)
  return query.error ? (
    <Failure error={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Skeleton label={text('face.loading')} lines={lines} />
  )
}
