import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Schema } from '@/api/client'
import { look, type Look } from '@/reader/look'

/** What the head of a file says; files are told apart by what the browser knows of them. */
export const lookQuery = (file: File | null, type: Schema<'ImportType'> | null) =>
  queryOptions({
    queryKey: ['look', file && [file.name, file.size, file.lastModified], type?.name],
    queryFn: (): Promise<Look> => (file ? look(file, type) : Promise.resolve({})),
    enabled: file !== null,
    staleTime: Infinity,
    gcTime: 60_000,
  })

/** How long rows that are typed rest before they are looked at, in milliseconds. */
const rest = 300

/** Looks at a file as soon as it is chosen, and again where another type is. */
export function useLook(file: File | null, type: Schema<'ImportType'> | null) {
  const [rested, setRested] = useState<File | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setRested(file), rest)
    return () => clearTimeout(timer)
  }, [file])
  const { data, isFetching } = useQuery({ ...lookQuery(rested, type), placeholderData: (before, query) => (sameFile(query?.queryKey[1], rested) ? before : undefined) })
  const isOfIt = rested === file
  return { found: isOfIt && file ? data : undefined, isLooking: file !== null && (!isOfIt || isFetching) }
}

const sameFile = (known: unknown, file: File | null) => file !== null && JSON.stringify(known) === JSON.stringify([file.name, file.size, file.lastModified])
