import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '@/api/client'
import { answered, ApiError } from '@/api/problem'
import { notices } from '@/ui'
import { isWritten, type Draft } from './draft'

const path = (uuid: string) => ({ params: { path: { uuid } } })
/** How often it is looked whether somebody else has said something, in milliseconds. */
const company = 4_000

/** Nothing of a screen that was left is shown again: the file may have been read in another way since. */
const anew = { refetchInterval: company, gcTime: 0 } as const

/** The file's columns, with what their cells are like. */
export const columnsQuery = (id: string) =>
  queryOptions({ queryKey: ['import', id, 'columns'], queryFn: () => answered(api.GET('/api/imports/{uuid}/column-mappings', path(id))), ...anew })

const mappingQuery = (id: string) =>
  queryOptions({ queryKey: ['import', id, 'mapping'], queryFn: () => answered(api.GET('/api/imports/{uuid}/mapping', path(id))), ...anew })

/** The first rows as a draft makes them. A draft that makes nothing has none. */
export const previewQuery = (id: string, draft: Draft) =>
  queryOptions({
    queryKey: ['import', id, 'made', draft.source, draft.fields],
    queryFn: () => answered(api.POST('/api/imports/{uuid}/mapping/preview', { params: { path: { uuid: id }, query: { limit: 5 } }, body: { fields: draft.fields ?? [] } })),
    enabled: (draft.fields?.length ?? 0) > 0 && isWritten(draft),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })

/**
 * The draft, which the import keeps: what is said is shown at once and sent in its order, and what others say comes with the next look.
 * What the API refuses stays to be seen, and is not kept; what is not written yet is not sent.
 */
export function useDraft(id: string) {
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery(mappingQuery(id))
  const [unsaved, setUnsaved] = useState<Draft | null>(null)
  const save = useMutation({
    scope: { id: `mapping ${id}` },
    mutationFn: async (draft: Draft) => {
      await queries.cancelQueries({ queryKey: ['import', id, 'mapping'] })
      await kept(answered(api.PUT('/api/imports/{uuid}/mapping', { ...path(id), body: draft })))
      return draft
    },
    onSuccess: (draft) => {
      queries.setQueryData(mappingQuery(id).queryKey, draft)
      setUnsaved((current) => (current === draft ? null : current))
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['import', id, 'columns'] }),
  })
  const change = (draft: Draft) => {
    setUnsaved(draft)
    if (isWritten(draft)) save.mutate(draft)
  }
  return { draft: unsaved ?? data, failure: error, refetch, refusal: unsaved ? save.error : null, isSaved: unsaved === null, change }
}

/** What was said is kept though something else is missing yet (406). */
async function kept(request: Promise<unknown>): Promise<void> {
  try {
    await request
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 406)) throw error
  }
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
