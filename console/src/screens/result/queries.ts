import {
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, type Schema } from '@/api/client'
import { hasEnded, waits, type ImportJob } from '@/api/imports'
import { answered, ApiError } from '@/api/problem'
import { notices } from '@/ui'
import type { RowFilter } from './filter'

export type Row = Schema<'RowCells'>
const path = (importId: string) => ({ params: { path: { importId } } })

/** The number of rows per request. */
export const blockSize = 100

/** The number of rows per error. */
export const countsQuery = (id: string) =>
  queryOptions({
    queryKey: ['import', id, 'counts'],
    queryFn: () => answered(api.GET('/api/imports/{importId}/rows/counts', path(id))),
  })

/** The first and last row number; null until the file has been read completely. */
export const reachQuery = (id: string) =>
  queryOptions({
    queryKey: ['import', id, 'reach'],
    queryFn: async () => {
      const preview = await answered(
        api.GET('/api/imports/{importId}/preview', { params: { path: { importId: id }, query: { limit: 1 } } }),
      )
      return {
        first: (preview.detected?.headerRow ?? 0) + 1,
        last: preview.lastRows?.filter(({ part }) => part === 'DATA').at(-1)?.number ?? null,
      }
    },
    staleTime: Infinity,
  })

/** A block of rows by number, from after `after` up to `after + blockSize`. A response may contain fewer rows and then indicates more. */
export const blockQuery = (id: string, after: number) =>
  queryOptions({
    queryKey: ['import', id, 'rows', 'block', after],
    queryFn: async ({ signal }) => {
      const rows: Row[] = []
      let cursor: string | null = String(after)
      do {
        const part: Schema<'RowsPart'> = await answered(
          api.GET('/api/imports/{importId}/rows', {
            params: { path: { importId: id }, query: { cursor, limit: blockSize } },
            signal,
          }),
        )
        rows.push(...part.rows)
        cursor = part.complete ? null : part.cursor
      } while (cursor !== null && Number(cursor) < after + blockSize)
      return new Map(rows.map((row) => [row.rowNumber, row]))
    },
    staleTime: 60_000,
    gcTime: 60_000,
  })

/** All rows, of which only visible blocks are fetched. A number without a row, such as a blank line, is null; undefined while unknown. */
export function useAllRows(id: string, first: number, seen: { from: number; to: number }, enabled: boolean) {
  const blockOf = (place: number) => Math.floor(place / blockSize)
  const blocks = enabled
    ? Array.from(
        { length: blockOf(Math.max(seen.from, seen.to - 1)) - blockOf(seen.from) + 1 },
        (_, offset) => blockOf(seen.from) + offset,
      )
    : []
  const answers = useQueries({ queries: blocks.map((block) => blockQuery(id, first - 1 + block * blockSize)) })
  return {
    error: answers.find(({ error }) => error)?.error ?? null,
    rowAt(place: number): Row | null | undefined {
      const rows = answers[blockOf(place) - (blocks[0] ?? 0)]?.data
      return rows && (rows.get(first + place) ?? null)
    },
  }
}

/** The rows that match a filter, in file order, as far as they are loaded. */
export function useFilteredRows(id: string, filter: RowFilter, enabled: boolean) {
  const { data, error, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['import', id, 'rows', 'filtered', filter],
    queryFn: ({ pageParam }) => {
      const query = {
        ...(filter.show === 'open' ? { open: true } : filter.show !== 'all' && { outcome: filter.show }),
        ...(filter.field && { field: filter.field }),
        ...(filter.code && { code: filter.code }),
        ...(filter.text && { q: filter.text }),
        ...(pageParam && { cursor: pageParam }),
        limit: blockSize,
      }
      return answered(api.GET('/api/imports/{importId}/rows', { params: { path: { importId: id }, query } }))
    },
    initialPageParam: '',
    getNextPageParam: (last) => (last.complete ? undefined : (last.cursor ?? undefined)),
    placeholderData: keepPreviousData,
    enabled,
  })
  const rows = data?.pages.flatMap((page) => page.rows) ?? []
  return {
    rows,
    parts: data?.pages.length ?? 0,
    isStuck: data !== undefined && error !== null,
    error: data ? null : error,
    isComplete: data !== undefined && !hasNextPage,
    isFetching,
    more: () => {
      if (hasNextPage && !isFetching) void fetchNextPage()
    },
  }
}

/** The number of failed rows whose values suggest a correction. */
const sampled = 20

/** Some cells with an error. A response may contain no rows although there are some, and then continues. */
export const faultyCellsQuery = (id: string, field: string, code: string) =>
  queryOptions({
    queryKey: ['import', id, 'rows', 'faulty', field, code],
    queryFn: async ({ signal }) => {
      let cursor: string | null = ''
      do {
        const part: Schema<'RowsPart'> = await answered(
          api.GET('/api/imports/{importId}/rows', {
            params: {
              path: { importId: id },
              query: { open: true, field, code, limit: sampled, ...(cursor && { cursor }) },
            },
            signal,
          }),
        )
        const cells = part.rows.map(({ rowNumber, values }) => ({
          rowNumber,
          text: values.find((value) => value.field === field)?.read ?? '',
        }))
        if (cells.length > 0) return cells
        cursor = part.complete ? null : part.cursor
      } while (cursor !== null)
      return []
    },
  })

/** Corrects cells with the same error: a trial with the first rows, or all rows in batches. */
export async function correctAlike(
  id: string,
  body: Schema<'Correction'>,
  preview: boolean,
): Promise<Schema<'Corrected'>> {
  const send = (cursor?: string) =>
    answered(
      api.PATCH('/api/imports/{importId}/rows', {
        params: { path: { importId: id }, query: { preview } },
        body: { ...body, ...(cursor && { cursor }) },
      }),
    )
  const all = await send()
  for (let part = all; !part.complete && part.cursor;) {
    part = await send(part.cursor)
    all.matched += part.matched
    all.corrected += part.corrected
    if (all.rows.length < 10) all.rows.push(...part.rows)
  }
  return all
}

/** Poll interval for the plan of a retry, in milliseconds. */
const planned = 700

/**
 * Applies the plan of a retry as soon as it is complete. A retry is planned like its import, but the person who corrects and imports rows
 * has seen them. Plans with guards, and those that another person must approve, wait.
 */
async function applyPlan({ identifier, plan }: ImportJob): Promise<void> {
  if (!plan?.asked || plan.guards || plan.approval !== 'any') return
  const params = { path: { importId: identifier } }
  for (;;) {
    const job = await answered(api.GET('/api/imports/{importId}', { params }))
    if (hasEnded(job) || job.plan?.appliedAt) return
    if (job.waitingFor === 'APPROVAL' && job.plan?.digest) {
      await answered(api.POST('/api/imports/{importId}/apply', { params, body: { digest: job.plan.digest } }))
      return
    }
    await new Promise((next) => setTimeout(next, planned))
  }
}

/** Retries failed rows of an import, and returns the id of the retry. */
async function retryRows(id: string, rows: 'corrected' | 'all-errors'): Promise<string> {
  const job = await answered(
    api.POST('/api/imports/{importId}/retry', {
      params: { path: { importId: id }, header: { 'Idempotency-Key': crypto.randomUUID() } },
      body: { rows },
    }),
  )
  await applyPlan(job)
  return job.identifier
}

/** Waits until an import has ended, or waits for a person. */
async function untilEnd(id: string): Promise<ImportJob> {
  for (;;) {
    const job = await answered(api.GET('/api/imports/{importId}', { params: { path: { importId: id } } }))
    if (hasEnded(job) || waits(job)) return job
    await new Promise((next) => setTimeout(next, planned))
  }
}

/** Imports the rows that were corrected in a preview, as soon as the preview is written. */
export async function importCorrected(id: string): Promise<void> {
  if ((await untilEnd(id)).status === 'COMPLETED') await untilEnd(await retryRows(id, 'corrected'))
}

/** Retries failed rows. */
export function useRetry(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (rows: 'corrected' | 'all-errors') => retryRows(id, rows),
    onError: (error) => notices.add({ tone: 'bad', title: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['import', id] }),
  })
}

const ends = ['COMPLETED', 'FAILED', 'CANCELLED']

/** Polls the import while rows are retried, then refetches its rows. */
export function useRetriesUnderWay(id: string, retries: { status: string }[]): boolean {
  const queries = useQueryClient()
  const ended = retries.filter(({ status }) => ends.includes(status)).length
  const isUnderWay = ended < retries.length
  useQuery({
    queryKey: ['import', id, 'retries'],
    queryFn: async () => {
      await queries.invalidateQueries(
        { queryKey: ['import', id], predicate: ({ queryKey }) => queryKey[2] !== 'retries' },
        { cancelRefetch: false },
      )
      return null
    },
    enabled: isUnderWay,
    refetchInterval: 1_000,
  })
  // Responses that arrived together with the end of a retry may be older than it, so all are refetched.
  const known = useRef(ended)
  useEffect(() => {
    if (known.current === ended) return
    known.current = ended
    void queries.invalidateQueries({ queryKey: ['import', id] })
  }, [queries, id, ended])
  return isUnderWay
}

const written = 1_500

/** Creates the annotated workbook and downloads it when it is ready. */
export function useAnnotated(id: string) {
  return useMutation({
    mutationFn: async () => {
      await answered(api.POST('/api/imports/{importId}/annotated', path(id)))
      location.assign(await address(id))
    },
    onError: (error) => notices.add({ tone: 'bad', title: error.message }),
  })
}

/** The URL of the annotated workbook. It is polled while the workbook is being created (STILL_RUNNING). */
async function address(id: string): Promise<string> {
  for (;;) {
    try {
      return (
        await answered(
          api.GET('/api/imports/{importId}/annotated.xlsx', {
            params: { path: { importId: id }, query: { redirect: false } },
          }),
        )
      ).url
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'STILL_RUNNING')) throw error
      await new Promise((next) => setTimeout(next, written))
    }
  }
}
