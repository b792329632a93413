import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema } from './client'
import { answered, withResponse } from './problem'

export type Export = Schema<'Export'>

/** Filters of an export by column: a value, a list of values or a range. */
export type ExportFilters = Record<string, string | number | string[] | { from?: string; before?: string }>

export const exportsPage = 20

/** Whether an export is in progress. */
export const isWriting = ({ status }: Export): boolean => status === 'PENDING' || status === 'PROCESSING'

/** A page of exports, newest first. It is polled while an export is in progress. */
export const exportsQuery = (page: number) =>
  queryOptions({
    queryKey: ['exports', page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await withResponse(
        api.GET('/api/exports', { params: { query: { page, size: exportsPage } }, signal }),
      )
      return { exports: data, total: Number(headers.get('X-Total-Count') ?? data.length) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.exports.some(isWriting) ? 1_000 : 15_000),
  })

/** The number of rows that an export would contain. */
export const exportCountQuery = (importType: string, filters: ExportFilters) =>
  queryOptions({
    queryKey: ['exports', 'count', importType, filters],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/api/exports/count', { params: { query: { importType, filters: JSON.stringify(filters) } }, signal }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
  })

/** The parameters of an export. */
export type ExportOrder = {
  importType: string
  format: Schema<'ExportFormat'>
  fields: string[]
  filters: ExportFilters
}

/** Starts an export. */
export function useCreateExport() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (order: ExportOrder) =>
      answered(
        api.POST('/api/exports', {
          params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
          body: order,
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['exports'] }),
  })
}

/** Cancels an export. */
export function useCancelExport() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) =>
      answered(api.POST('/api/exports/{exportId}/cancel', { params: { path: { exportId: id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['exports'] }),
  })
}

/** Downloads an export directly from its URL, whatever its size. */
export function useDownloadExport() {
  return useMutation({
    mutationFn: (id: string) =>
      answered(
        api.GET('/api/exports/{exportId}/download', { params: { path: { exportId: id }, query: { redirect: false } } }),
      ),
    onSuccess: ({ url }) => location.assign(url),
  })
}
