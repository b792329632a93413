import { keepPreviousData, queryOptions, useMutation, useQueries, useQueryClient } from '@tanstack/react-query'
import { api, type Schema } from '@/api/client'
import { answered, ApiError, withResponse } from '@/api/problem'
import { notices } from '@/ui'

export type Value = Schema<'CellMapping'>

/** The number of values per request. */
const pageSize = 200
const company = 4_000

const pageQuery = (id: string, q: string, page: number) =>
  queryOptions({
    queryKey: ['import', id, 'values', q, page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await withResponse(
        api.GET('/api/imports/{importId}/cell-mappings', {
          params: { path: { importId: id }, query: { ...(q && { q }), page, size: pageSize } },
          signal,
        }),
      )
      return { values: data, total: Number(headers.get('X-Total-Count') ?? data.length) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: company,
  })

/** The values to match, optionally filtered by a text. Only visible pages are fetched. */
export function useValues(id: string, q: string, seen: { from: number; to: number }) {
  const first = Math.floor(seen.from / pageSize)
  const last = Math.floor(Math.max(seen.from, seen.to - 1) / pageSize)
  const pages = [
    0,
    ...Array.from({ length: last - first + 1 }, (_, offset) => first + offset).filter((page) => page > 0),
  ]
  const answers = useQueries({ queries: pages.map((page) => pageQuery(id, q, page)) })
  const pageOf = (page: number) => answers[pages.indexOf(page)]?.data
  return {
    error: answers.find(({ error }) => error)?.error ?? null,
    refetch: () => {
      for (const answer of answers) void answer.refetch()
    },
    total: pageOf(0)?.total,
    first: pageOf(0)?.values ?? [],
    valueAt: (place: number): Value | undefined => pageOf(Math.floor(place / pageSize))?.values[place % pageSize],
  }
}

/** The first unmatched values and their total, optionally filtered by a text. */
export const openQuery = (id: string, q = '') =>
  queryOptions({
    queryKey: ['import', id, 'values', 'open', q],
    queryFn: async ({ signal }) => {
      const { data, headers } = await withResponse(
        api.GET('/api/imports/{importId}/cell-mappings', {
          params: { path: { importId: id }, query: { ...(q && { q }), open: true, size: pageSize } },
          signal,
        }),
      )
      return { values: data, total: Number(headers.get('X-Total-Count') ?? data.length) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: company,
  })

/** The candidates for a value: similar ones, or search results. */
export const candidatesQuery = (id: string, field: string, value: string, search: string) =>
  queryOptions({
    queryKey: ['import', id, 'candidates', field, value, search],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/api/imports/{importId}/cell-mappings/candidates', {
          params: {
            path: { importId: id },
            query: { targetField: field, size: 20, ...(search ? { search } : { value }) },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })

/** The number of candidates among which names are looked up. */
const manyNames = 1_000

/** The names of the entities that values of a field can match, by id. */
export const namesQuery = (id: string, field: string) =>
  queryOptions({
    queryKey: ['import', id, 'names', field],
    queryFn: async ({ signal }) => {
      const candidates = await answered(
        api.GET('/api/imports/{importId}/cell-mappings/candidates', {
          params: { path: { importId: id }, query: { targetField: field, size: manyNames } },
          signal,
        }),
      )
      return new Map(candidates.map((candidate) => [candidate.id, candidate.displayName]))
    },
    staleTime: Infinity,
  })

/** Saves decisions about values. Status 406, other values are unmatched, is not an error. */
export function useValueAnswers(id: string) {
  const queries = useQueryClient()
  return useMutation({
    scope: { id: `values ${id}` },
    mutationFn: async (answers: Schema<'CellAnswer'>[]) => {
      try {
        await answered(
          api.PUT('/api/imports/{importId}/cell-mappings', { params: { path: { importId: id } }, body: answers }),
        )
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 406)) throw error
      }
    },
    onError: (error) => notices.add({ tone: 'bad', title: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['import', id, 'values'] }),
  })
}

/** Confirms the values, with or without unmatched ones. */
export function useGoOn(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (all: boolean) =>
      all
        ? answered(api.POST('/api/imports/{importId}/cell-mappings/confirm', { params: { path: { importId: id } } }))
        : answered(api.POST('/api/imports/{importId}/start', { params: { path: { importId: id } } })),
    onError: (error) => notices.add({ tone: 'bad', title: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['import', id] }),
  })
}
