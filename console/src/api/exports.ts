import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema } from './client'
import { answered, withResponse } from './problem'

export type Export = Schema<'Export'>

/** What rows an export is narrowed to, by column: a value, some of which one must be it, or a range. */
export type ExportFilters = Record<string, string | number | string[] | { from?: string; before?: string }>

export const exportsPage = 20

/** Whether an export is still being written. */
export const isWriting = ({ status }: Export): boolean => status === 'PENDING' || status === 'PROCESSING'

/** A page of exports, newest first, asked for again as long as one is being written. */
export const exportsQuery = (page: number) =>
  queryOptions({
    queryKey: ['exports', page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await withResponse(api.GET('/api/exports', { params: { query: { page, size: exportsPage } }, signal }))
      return { exports: data, total: Number(headers.get('X-Total-Count') ?? data.length) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.exports.some(isWriting) ? 1_000 : 15_000),
  })

/** How many rows an export would have. */
export const exportCountQuery = (importType: string, filters: ExportFilters) =>
  queryOptions({
    queryKey: ['exports', 'count', importType, filters],
    queryFn: ({ signal }) => answered(api.GET('/api/exports/count', { params: { query: { importType, filters: JSON.stringify(filters) } }, signal })),
    placeholderData: keepPreviousData,
    retry: false,
  })

/** What an export is made of. */
export type ExportOrder = { importType: string; format: Schema<'ExportFormat'>; fields: string[]; filters: ExportFilters }

/** Has an export written. */
export function useCreateExport() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (order: ExportOrder) =>
      answered(api.POST('/api/exports', { params: { header: { 'Idempotency-Key': crypto.randomUUID() } }, body: { ...order, filters: order.filters as Schema<'ExportFilters'> } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['exports'] }),
  })
}

/** Ends an export early. */
export function useCancelExport() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => answered(api.POST('/api/exports/{id}/cancel', { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['exports'] }),
  })
}

/** Lets the browser fetch an export's file from where it is, however large it is. */
export function useDownloadExport() {
  return useMutation({
    mutationFn: (id: string) => answered(api.GET('/api/exports/{id}/download', { params: { path: { id }, query: { redirect: false } } })),
    onSuccess: ({ url }) => location.assign(url),
  })
}
