import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema } from './client'
import { answered, withResponse } from './problem'

export type Settings = Schema<'Settings'>
export type Quarantined = Schema<'Quarantined'>

export const quarantinePage = 20

/** The organisation's default settings for imports, and its quotas. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => answered(api.GET('/api/settings', { signal })),
})

/** Changes some of the settings; null restores the default. */
export function useChangeSettings() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (change: Schema<'SettingsPatch'>) => answered(api.PATCH('/api/settings', { body: change })),
    onSuccess: (settings) => queries.setQueryData(settingsQuery.queryKey, settings),
  })
}

/** A page of the drop folder's quarantined files, newest first. */
export const quarantineQuery = (page: number) =>
  queryOptions({
    queryKey: ['quarantine', page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await withResponse(
        api.GET('/api/drop/quarantine', { params: { query: { page, size: quarantinePage } }, signal }),
      )
      return { files: data, total: Number(headers.get('X-Total-Count') ?? data.length) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  })

const useQuarantine = <Answer>(mutationFn: (id: string) => Promise<Answer>) => {
  const queries = useQueryClient()
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: ['quarantine'] }) })
}

/** Moves a quarantined file back into the drop folder. */
export const useRetryQuarantined = () =>
  useQuarantine((id) => answered(api.POST('/api/drop/quarantine/{fileId}/retry', { params: { path: { fileId: id } } })))

/** Deletes a quarantined file. */
export const useDeleteQuarantined = () =>
  useQuarantine((id) => answered(api.DELETE('/api/drop/quarantine/{fileId}', { params: { path: { fileId: id } } })))
