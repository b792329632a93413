import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { api, type Schema } from '@/api/client'
import { answered } from '@/api/problem'
import type { Head } from '@/reader/look'
import { fileKey, lookQuery } from './useLook'

type Type = Schema<'ImportType'>

/** The type that a file most likely has, with the number of its columns that the type knows. */
export type Guess = { type: Type; known: number; count: number }

/** The number of rows, and of characters of a cell, that are sent. */
const [sentRows, sentText] = [5, 80]

/** The beginning of a file by which its type is guessed: its headers and first rows. */
export const beginningOf = ({ detected, rows }: Head): Schema<'FileBeginning'> => ({
  headers: detected.header ?? [],
  rows: rows
    .filter(({ part }) => part === 'DATA')
    .slice(0, sentRows)
    .map(({ cells }) => cells.map((cell) => cell.text.slice(0, sentText))),
})

/** Asks the server for the type of a file. Files that the browser cannot read are not guessed. */
const guessQuery = (queries: QueryClient, file: File | null) =>
  queryOptions({
    queryKey: ['guess', fileKey(file)],
    queryFn: async () => {
      const { head } = await queries.query({ ...lookQuery(file, null), staleTime: 'static' })
      if (!head?.detected.header?.length) return null
      return answered(api.POST('/api/import-types/guess', { body: beginningOf(head) }))
    },
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  })

/** The guess for a file while it is needed; null if no type fits best. */
export function useGuess(file: File | null, types: Type[], isNeeded: boolean): Guess | null {
  const queries = useQueryClient()
  const { data } = useQuery({ ...guessQuery(queries, file), enabled: isNeeded && file !== null })
  const best = data?.types.find(({ importType }) => importType === data.best)
  const type = types.find(({ name }) => name === best?.importType)
  return isNeeded && best && type ? { type, known: best.matched, count: best.columns } : null
}
