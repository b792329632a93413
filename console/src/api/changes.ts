import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema } from './client'
import { answered, withResponse } from './problem'

export type Change = Schema<'Change'>
export type FieldSummary = Schema<'FieldSummary'>
export type ChangeFilter = { kind?: Schema<'ChangeKind'>; field?: string; q?: string }

const path = (importId: string) => ({ path: { importId } })

/** Counts the changes of an import, or of its plan, by table and field. */
export const changesSummaryQuery = (id: string, live: boolean) =>
  queryOptions({
    queryKey: ['import', id, 'changes', 'summary'],
    queryFn: ({ signal }) => answered(api.GET('/api/imports/{importId}/changes/summary', { params: path(id), signal })),
    refetchInterval: live ? 3_000 : false,
  })

/** The changes of an import, page by page. A page may be empty although more follow. */
export const changesQuery = (id: string, filter: ChangeFilter) =>
  infiniteQueryOptions({
    queryKey: ['import', id, 'changes', filter],
    queryFn: ({ signal, pageParam }) =>
      answered(
        api.GET('/api/imports/{importId}/changes', {
          params: { ...path(id), query: { ...filter, limit: 50, ...(pageParam && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ complete, cursor }) => (complete ? undefined : cursor),
  })

export type StaleRow = Schema<'StaleRow'>

/** The number of requests that compare a plan with the current data. Each compares some thousand rows. */
const staleParts = 6

/** The interval at which a shown plan is compared again, in milliseconds. */
const staleInterval = 60_000

/** The rows of a plan whose records have changed since, as far as they are compared. */
export const staleQuery = (id: string) =>
  queryOptions({
    queryKey: ['stale', id], // not refetched with the import: a plan that is applied has none
    queryFn: async ({ signal }) => {
      const found = { stale: 0, rows: [] as StaleRow[], isComplete: false }
      for (let part = 0, cursor = ''; part < staleParts && !found.isComplete; part++) {
        const next = await answered(
          api.GET('/api/imports/{importId}/stale', {
            params: { ...path(id), query: { ...(cursor && { cursor }) } },
            signal,
          }),
        )
        found.stale += next.stale
        found.rows.push(...next.rows)
        found.isComplete = next.complete
        cursor = next.cursor ?? ''
      }
      return found
    },
    staleTime: 0,
    refetchInterval: staleInterval,
    retry: false,
  })

/** Approves a plan and applies it. */
export function useApply(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (application: Schema<'Application'>) =>
      answered(api.POST('/api/imports/{importId}/apply', { params: path(id), body: application })),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['import', id] }),
        queries.invalidateQueries({ queryKey: ['imports'] }),
      ]),
  })
}

/** Undoes an import, or previews the undo. The response is a new import. */
export function useUndo(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ mode, retries, preview }: { mode: Schema<'UndoMode'>; retries: boolean; preview: boolean }) =>
      answered(
        api.POST('/api/imports/{importId}/undo', {
          params: { ...path(id), query: { preview }, header: { 'Idempotency-Key': crypto.randomUUID() } },
          body: { mode, retries },
        }),
      ),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['import', id] }),
        queries.invalidateQueries({ queryKey: ['imports'] }),
      ]),
  })
}

/** The rows with an outcome: their number and the first of them. */
export const resultsQuery = (id: string, outcome: Schema<'Outcome'>) =>
  queryOptions({
    queryKey: ['import', id, 'results', outcome],
    queryFn: async ({ signal }) => {
      const { data, headers } = await withResponse(
        api.GET('/api/imports/{importId}/results', { params: { ...path(id), query: { outcome, size: 20 } }, signal }),
      )
      return { rows: data, total: Number(headers.get('X-Total-Count') ?? data.length) }
    },
  })

/** The history of an entity: the import behind each value, and all changes by imports. */
export const historyQuery = (type: string, key: string, by: string) =>
  infiniteQueryOptions({
    queryKey: ['history', type, key, by],
    queryFn: ({ signal, pageParam }) =>
      answered(
        api.GET('/api/entities/{type}/{entityKey}/history', {
          params: {
            path: { type, entityKey: key },
            query: { ...(by && { by }), ...(pageParam && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ complete, cursor }) => (complete ? undefined : cursor),
    retry: false,
  })
