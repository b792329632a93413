import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema } from './client'
import { ApiError, answered } from './problem'

export type Deletion = Schema<'OrganisationDeletion'>

/** The deletion of the organisation; null if none is requested. It is polled while it runs. */
export const deletionQuery = queryOptions({
  queryKey: ['deletion'],
  queryFn: async ({ signal }): Promise<Deletion | null> => {
    try {
      return await answered(api.GET('/api/organisation/deletion', { signal }))
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null
      throw error
    }
  },
  refetchInterval: ({ state }) => (state.data?.status === 'CONFIRMED' ? 5_000 : false),
})

const useDeletion = <Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) => {
  const queries = useQueryClient()
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: deletionQuery.queryKey }) })
}

/** Requests the deletion. Nothing is deleted before it is confirmed. */
export const useRequestDeletion = () => useDeletion(() => answered(api.POST('/api/organisation/deletion')))

/** Withdraws a request that is not confirmed. */
export const useWithdrawDeletion = () => useDeletion(() => answered(api.DELETE('/api/organisation/deletion')))

/** Confirms the deletion with the name of the organisation. */
export const useConfirmDeletion = () =>
  useDeletion((name: string) => answered(api.POST('/api/organisation/deletion/confirm', { body: { name } })))

/** Starts the export of the whole organisation. */
export function useExportOrganisation() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () =>
      answered(
        api.POST('/api/organisation/export', { params: { header: { 'Idempotency-Key': crypto.randomUUID() } } }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['exports'] }),
  })
}
