import type { paths } from '@loadbay/client'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema } from './client'
import { answered, withResponse } from './problem'

export type ImportJob = Schema<'ImportJob'>
export type ImportSummary = Schema<'ImportSummary'>
export type ImportFilter = NonNullable<paths['/api/imports']['get']['parameters']['query']>

const [soon, whileActive, atRest] = [1_000, 2_000, 15_000]

/** Whether an import waits for a person. */
export const waits = (job: Pick<ImportSummary, 'waitingFor'>): boolean =>
  job.waitingFor === 'COLUMN_MAPPINGS' || job.waitingFor === 'CELL_MAPPINGS' || job.waitingFor === 'APPROVAL'

/** Whether an import has ended. */
export const hasEnded = (job: Pick<ImportSummary, 'status'>): boolean =>
  job.status === 'COMPLETED' || job.status === 'FAILED' || job.status === 'CANCELLED'

/** A page of imports. It is polled as often as its entries can change. */
export const importsQuery = (filter: ImportFilter) =>
  queryOptions({
    queryKey: ['imports', filter],
    queryFn: async ({ signal }) => {
      const { data, headers } = await withResponse(api.GET('/api/imports', { params: { query: filter }, signal }))
      return { imports: data, total: Number(headers.get('X-Total-Count') ?? data.length) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.imports.some((job) => !hasEnded(job) && !waits(job)) ? whileActive : atRest / 3,
  })

/** The newest imports that wait for a person, and their total, for the navigation and the notices. */
export const waitingQuery = queryOptions({
  ...importsQuery({ waiting: true, size: 20 }),
  refetchInterval: atRest / 3,
})

/** One import. It is polled until it ends, and refetched on every visit because it may have been undone. */
export const importQuery = (id: string) =>
  queryOptions({
    queryKey: ['import', id],
    staleTime: 0,
    queryFn: ({ signal }) =>
      answered(api.GET('/api/imports/{importId}', { params: { path: { importId: id } }, signal })),
    refetchInterval: ({ state: { data, error } }) =>
      error && !data ? false : !data ? soon : hasEnded(data) ? false : waits(data) ? atRest / 3 : soon,
  })

/** The import types: those of the release, and those that the organisation has declared. */
export const typesQuery = queryOptions({
  queryKey: ['types'],
  queryFn: ({ signal }) => answered(api.GET('/api/import-types', { signal })),
  staleTime: 60_000,
})

/** The points calculators: those built into Loadbay and those of the organisation. */
export const calculatorsQuery = queryOptions({
  queryKey: ['calculators'],
  queryFn: ({ signal }) => answered(api.GET('/api/settings/points-calculators', { signal })),
  staleTime: 60_000,
})

/** The contexts of a type whose names contain a text. */
export const contextsQuery = (type: string, text: string) =>
  queryOptions({
    queryKey: ['contexts', type, text],
    queryFn: ({ signal }) =>
      answered(api.GET('/api/contexts', { params: { query: { type, ...(text && { q: text }), size: 50 } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })

/** Cancels an import. */
export function useCancelImport(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => answered(api.DELETE('/api/imports/{importId}', { params: { path: { importId: id } } })),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['import', id] }),
        queries.invalidateQueries({ queryKey: ['imports'] }),
      ]),
  })
}

/** Reanalyses the file of an import with other reading options; the import then asks again. */
export function useReadAgain(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (change: Schema<'SourceChange'>) =>
      answered(api.PATCH('/api/imports/{importId}/source', { params: { path: { importId: id } }, body: change })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['import', id] }),
  })
}

/** The signed-in person and their organisation. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => answered(api.GET('/api/me', { signal })),
  staleTime: Infinity,
})

/** The upload status of an import's file: the bytes received and the upload destination. An error if nothing is left to upload or this person may not upload. */
export const pendingUploadQuery = (id: string) =>
  queryOptions({
    queryKey: ['import', id, 'upload'],
    queryFn: ({ signal }) =>
      answered(api.GET('/api/imports/{importId}/upload', { params: { path: { importId: id } }, signal })),
    retry: false,
    staleTime: 30_000,
  })

/** The profiles of a type, by name. */
export const profilesQuery = (type: string) =>
  queryOptions({
    queryKey: ['profiles', type],
    queryFn: ({ signal }) =>
      answered(api.GET('/api/profiles', { params: { query: { importType: type, size: 200 } }, signal })),
    staleTime: 60_000,
  })
