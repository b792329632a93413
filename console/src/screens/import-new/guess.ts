import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import type { Schema } from '@/api/client'
import { lookQuery } from './useLook'

type Type = Schema<'ImportType'>

/** The type that a file most likely has, with the number of its columns that the type knows. */
export type Guess = { type: Type; known: number; count: number }

/** Maximum size of files whose type is guessed: each type reads the beginning of the file again, in bytes. */
const largest = 10_000_000

/** Guesses the type of a file by its columns. */
const guessQuery = (queries: QueryClient, file: File | null, types: Type[]) =>
  queryOptions({
    queryKey: ['guess', file && [file.name, file.size, file.lastModified]],
    queryFn: async (): Promise<Guess | null> => {
      const found: (Guess & { isComplete: boolean })[] = []
      for (const type of types) {
        const { head } = await queries.query({ ...lookQuery(file, type), staleTime: 'static' })
        if (!head) return null
        const known = head.columns.filter(({ targetField }) => targetField).length
        found.push({ type, known, count: head.columns.length, isComplete: !head.missing })
      }
      return bestOf(found)
    },
    staleTime: Infinity,
    gcTime: 60_000,
  })

/** The only type with all required columns that knows most of the columns; null if several do, or if it knows less than half of them. */
export function bestOf(all: (Guess & { isComplete: boolean })[]): Guess | null {
  const [best, second] = all
    .filter(({ isComplete, known, count }) => isComplete && known * 2 >= count)
    .sort((a, b) => b.known - a.known)
  return best && best.known !== second?.known ? { type: best.type, known: best.known, count: best.count } : null
}

/** The guess for a file while it is needed. */
export function useGuess(file: File | null, types: Type[], isNeeded: boolean): Guess | null {
  const queries = useQueryClient()
  const { data } = useQuery({
    ...guessQuery(queries, file, types),
    enabled: isNeeded && file !== null && file.size <= largest,
  })
  return isNeeded ? (data ?? null) : null
}
