import { queryOptions } from '@tanstack/react-query'
import { api, type Schema } from '@/api/client'
import type { ImportJob } from '@/api/imports'
import { answered } from '@/api/problem'

/** The number of files that are remembered. */
const most = 5

const files = new Map<string, File>()

/** Remembers the file of an import while the console is open, so that the import can be started again. */
export function rememberFile(id: string, file: File): void {
  files.set(id, file)
  for (const old of [...files.keys()].slice(0, -most)) files.delete(old)
}

/** Maximum size of a stored file that is read again, in bytes. A larger one has to be chosen again. */
const largest = 50_000_000

/** The file of an import: as it was chosen here, else as it is stored; null if it is gone or large. */
async function fileOf({ identifier, originalFilename, sizeBytes, uploadedAt }: ImportJob): Promise<File | null> {
  const chosen = files.get(identifier)
  if (chosen || !uploadedAt || sizeBytes > largest) return chosen ?? null
  try {
    const params = { path: { importId: identifier }, query: { redirect: false } }
    const { url } = await answered(api.GET('/api/imports/{importId}/source', { params }))
    const stored = await fetch(url)
    return stored.ok ? new File([await stored.blob()], originalFilename) : null
  } catch {
    return null // the person chooses the file again
  }
}

/** An import that is started again: its settings, its decisions about columns, and its file. */
export type Again = { job: ImportJob; mapping: Schema<'Mapping'> | null; file: File | null }

/** The import that is started again; null without an id. */
export const againQuery = (id: string | null) =>
  queryOptions({
    queryKey: ['again', id],
    queryFn: async (): Promise<Again | null> => {
      if (!id) return null
      const params = { params: { path: { importId: id } } }
      const job = await answered(api.GET('/api/imports/{importId}', params))
      // An import that ended before its file was read has no mapping.
      const [mapping, file] = await Promise.all([
        answered(api.GET('/api/imports/{importId}/mapping', params)).catch(() => null),
        fileOf(job),
      ])
      return { job, mapping: mapping?.fields?.length ? mapping : null, file }
    },
    staleTime: Infinity,
    gcTime: 0,
  })
