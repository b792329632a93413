import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Schema } from '@/api/client'
import { serverLanguage } from '@/i18n/locales'
import { look, type Look } from '@/reader/look'
import { translateLook } from '@/reader/translate'

/** What identifies a selected file in query keys. */
export const fileKey = (file: File | null) => file && [file.name, file.size, file.lastModified]

/** Caches previews by the file's name, size and modification time, and by the language of their messages. */
export const lookQuery = (file: File | null, type: Schema<'ImportType'> | null) =>
  queryOptions({
    queryKey: ['look', fileKey(file), type?.name, serverLanguage()],
    queryFn: async (): Promise<Look> => (file ? translateLook(await look(file, type), serverLanguage()) : {}),
    enabled: file !== null,
    staleTime: Infinity,
    gcTime: 60_000,
  })

/** Debounce delay for pasted rows, in milliseconds. */
const rest = 300

/** Previews a file when it is selected, and again when the type changes. */
export function useLook(file: File | null, type: Schema<'ImportType'> | null) {
  const [rested, setRested] = useState<File | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setRested(file), rest)
    return () => clearTimeout(timer)
  }, [file])
  const { data, isFetching } = useQuery({
    ...lookQuery(rested, type),
    placeholderData: (before, query) => (sameFile(query?.queryKey[1], rested) ? before : undefined),
  })
  const isOfIt = rested === file
  return { found: isOfIt && file ? data : undefined, isLooking: file !== null && (!isOfIt || isFetching) }
}

const sameFile = (known: unknown, file: File | null) =>
  file !== null && JSON.stringify(known) === JSON.stringify(fileKey(file))
