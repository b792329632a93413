import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '@/api/client'
import { answered, ApiError, withResponse } from '@/api/problem'
import { notices } from '@/ui'
import { isWritten, type Draft } from './draft'
import { merge } from './merge'

const path = (uuid: string) => ({ params: { path: { uuid } } })
/** How often it is looked whether somebody else has said something, in milliseconds. */
const company = 4_000

/** Nothing of a screen that was left is shown again: the file may have been read in another way since. */
const anew = { refetchInterval: company, gcTime: 0 } as const

/** The file's columns, with what their cells are like. */
export const columnsQuery = (id: string) =>
  queryOptions({
    queryKey: ['import', id, 'columns'],
    queryFn: () => answered(api.GET('/api/imports/{uuid}/column-mappings', path(id))),
    ...anew,
  })

/** What is said of the columns, and its version, which a change names. */
type Kept = { draft: Draft; version: string }

async function read(id: string): Promise<Kept> {
  const { data, headers } = await withResponse(api.GET('/api/imports/{uuid}/mapping', path(id)))
  return { draft: data, version: headers.get('ETag') ?? '' }
}

const mappingQuery = (id: string) =>
  queryOptions({ queryKey: ['import', id, 'mapping'], queryFn: () => read(id), ...anew })

/** The first rows as a draft makes them. A draft that makes nothing has none. */
export const previewQuery = (id: string, draft: Draft) =>
  queryOptions({
    queryKey: ['import', id, 'made', draft.source, draft.fields],
    queryFn: () =>
      answered(
        api.POST('/api/imports/{uuid}/mapping/preview', {
          params: { path: { uuid: id }, query: { limit: 5 } },
          body: { fields: draft.fields ?? [] },
        }),
      ),
    enabled: (draft.fields?.length ?? 0) > 0 && isWritten(draft),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })

/**
 * The draft, which the import keeps: what is said is shown at once and sent in its order, and what others say comes with the next look.
 * What the API refuses stays to be seen, and is not kept; what is not written yet is not sent.
 */
export function useDraft(id: string, onMerged: (over: string[]) => void) {
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery(mappingQuery(id))
  const [unsaved, setUnsaved] = useState<Draft | null>(null)
  const base = useRef<Draft>({}) // what the unsaved draft was made of, as far as it is kept
  const save = useMutation({
    scope: { id: `mapping ${id}` },
    mutationFn: async (draft: Draft) => {
      await queries.cancelQueries({ queryKey: ['import', id, 'mapping'] })
      return keep(id, base.current, draft, queries.getQueryData(mappingQuery(id).queryKey) ?? (await read(id)))
    },
    onSuccess: ({ over, ...kept }, draft) => {
      base.current = draft
      queries.setQueryData(mappingQuery(id).queryKey, kept)
      setUnsaved((current) => (current === draft ? null : current))
      if (over) onMerged(over)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['import', id, 'columns'] }),
  })
  const change = (draft: Draft) => {
    if (unsaved === null && data) base.current = data.draft
    setUnsaved(draft)
    if (isWritten(draft)) save.mutate(draft)
  }
  return {
    draft: unsaved ?? data?.draft,
    failure: error,
    refetch,
    refusal: unsaved ? save.error : null,
    isSaved: unsaved === null,
    change,
  }
}

/** How often others may come first while something is kept. */
const most = 10

/** Keeps what `base` has become beside what others have said meanwhile; `over` are the fields of which they said something else, and is there if they came between. */
async function keep(id: string, base: Draft, draft: Draft, known: Kept): Promise<Kept & { over?: string[] }> {
  for (let tries = 1; ; tries++) {
    const { draft: merged, over } = merge(base, draft, known.draft)
    try {
      return {
        draft: merged,
        version: await put(id, merged, known.version),
        ...((tries > 1 || over.length > 0) && { over }),
      }
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412 && tries < most)) throw error
    }
    known = await read(id)
  }
}

/** Puts a draft where one of that version is, and says its version. What was said is kept though something else is missing yet (406). */
async function put(id: string, draft: Draft, version: string): Promise<string> {
  const answer = api.PUT('/api/imports/{uuid}/mapping', {
    params: { path: { uuid: id }, header: { 'If-Match': version } },
    body: draft,
  })
  try {
    await answered(answer)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 406)) throw error
  }
  return (await answer).response.headers.get('ETag') ?? ''
}

/** Agrees to the columns as they are said; what is still missing is told. */
export function useConfirmColumns(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => answered(api.POST('/api/imports/{uuid}/column-mappings/confirm', path(id))),
    onError: (error) => notices.add({ tone: 'bad', title: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['import', id] }),
  })
}
