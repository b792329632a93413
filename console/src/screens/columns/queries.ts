import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '@/api/client'
import { answered, ApiError, withResponse } from '@/api/problem'
import { notices } from '@/ui'
import { isWritten, type Draft } from './draft'
import { merge } from './merge'

const path = (importId: string) => ({ params: { path: { importId } } })
/** Poll interval for changes by other people, in milliseconds. */
const pollInterval = 4_000

/** Data is not cached after leaving the screen, because the file may have been reanalysed since. */
const polled = { refetchInterval: pollInterval, gcTime: 0 } as const

/** The columns of the file with samples and kinds. */
export const columnsQuery = (id: string) =>
  queryOptions({
    queryKey: ['import', id, 'columns'],
    queryFn: () => answered(api.GET('/api/imports/{importId}/column-mappings', path(id))),
    ...polled,
  })

/** The saved mapping and its ETag, which updates send as If-Match. */
type SavedMapping = { draft: Draft; version: string }

async function read(id: string): Promise<SavedMapping> {
  const { data, headers } = await withResponse(api.GET('/api/imports/{importId}/mapping', path(id)))
  return { draft: data, version: headers.get('ETag') ?? '' }
}

const mappingQuery = (id: string) =>
  queryOptions({ queryKey: ['import', id, 'mapping'], queryFn: () => read(id), ...polled })

/** The number of rows in a preview: as many as the API allows, because rows that change or fail may be rare. */
const previewed = 50

/** A preview of the first rows with a draft. It is disabled for a draft without mappings. */
export const previewQuery = (id: string, draft: Draft) =>
  queryOptions({
    queryKey: ['import', id, 'made', draft.source, draft.fields],
    queryFn: () =>
      answered(
        api.POST('/api/imports/{importId}/mapping/preview', {
          params: { path: { importId: id }, query: { limit: previewed } },
          body: { fields: draft.fields ?? [] },
        }),
      ),
    enabled: (draft.fields?.length ?? 0) > 0 && isWritten(draft),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })

/**
 * The mapping as a draft. Changes are shown at once and saved in order; changes by other people arrive with the next poll.
 * Changes that the API rejects stay visible but unsaved; incomplete drafts are not sent.
 */
export function useDraft(id: string, onMerged: (over: string[]) => void) {
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery(mappingQuery(id))
  const [unsaved, setUnsaved] = useState<Draft | null>(null)
  const base = useRef<Draft>({}) // the saved draft on which the unsaved one is based
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

/** Maximum number of attempts to save when other people save at the same time. */
const most = 10

/** Saves a draft merged with concurrent changes. `over` lists the fields in conflict; it is undefined if there was no concurrent change. */
async function keep(
  id: string,
  base: Draft,
  draft: Draft,
  known: SavedMapping,
): Promise<SavedMapping & { over?: string[] }> {
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

/** Replaces this version of the mapping and returns the new version. Status 406 means saved, but still incomplete. */
async function put(id: string, draft: Draft, version: string): Promise<string> {
  const answer = api.PUT('/api/imports/{importId}/mapping', {
    params: { path: { importId: id }, header: { 'If-Match': version } },
    body: draft,
  })
  try {
    await answered(answer)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 406)) throw error
  }
  return (await answer).response.headers.get('ETag') ?? ''
}

/** Confirms the columns. Missing fields are reported. */
export function useConfirmColumns(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => answered(api.POST('/api/imports/{importId}/column-mappings/confirm', path(id))),
    onError: (error) => notices.add({ tone: 'bad', title: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['import', id] }),
  })
}
