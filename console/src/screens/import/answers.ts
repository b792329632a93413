import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema } from '@/api/client'
import { answered, ApiError } from '@/api/problem'
import { notices } from '@/ui'

const path = (uuid: string) => ({ params: { path: { uuid } } })

/** What the file's columns were taken for. */
export const columnsQuery = (id: string) => queryOptions({ queryKey: ['import', id, 'columns'], queryFn: () => answered(api.GET('/api/imports/{uuid}/column-mappings', path(id))) })

/** The first values that nobody knows, those in most rows first. */
export const valuesQuery = (id: string) =>
  queryOptions({
    queryKey: ['import', id, 'values'],
    queryFn: () => answered(api.GET('/api/imports/{uuid}/cell-mappings', { params: { path: { uuid: id }, query: { size: 100 } } })),
  })

/** Keeps something that a person said. That something else is missing yet (406) is no failure: what was said is kept. */
function useAnswer<Answer>(id: string, send: (answer: Answer) => Promise<unknown>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (answer: Answer) => {
      try {
        await send(answer)
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 406)) throw error
      }
    },
    onError: (error) => notices.add({ tone: 'bad', title: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['import', id] }),
  })
}

/** Goes on; what is still missing is said. */
function useGoOn(id: string, send: () => Promise<unknown>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: send,
    onError: (error) => notices.add({ tone: 'bad', title: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['import', id] }),
  })
}

export const useColumnAnswer = (id: string) =>
  useAnswer(id, (answer: Schema<'ColumnAnswer'>) => answered(api.PUT('/api/imports/{uuid}/column-mappings', { ...path(id), body: [answer] })))
export const useConfirmColumns = (id: string) => useGoOn(id, () => answered(api.POST('/api/imports/{uuid}/column-mappings/confirm', path(id))))
export const useValueAnswer = (id: string) =>
  useAnswer(id, (answer: Schema<'CellAnswer'>) => answered(api.PUT('/api/imports/{uuid}/cell-mappings', { ...path(id), body: [answer] })))
export const useGoOnWithoutValues = (id: string) => useGoOn(id, () => answered(api.POST('/api/imports/{uuid}/start', path(id))))
