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

/** The file of an import, if it was chosen here. */
export const fileOf = (id: string): File | null => files.get(id) ?? null

/** An import that is started again: its settings, and its decisions about columns. */
export type Again = { job: ImportJob; mapping: Schema<'Mapping'> | null }

/** The import that is started again; null without an id. */
export const againQuery = (id: string | null) =>
  queryOptions({
    queryKey: ['again', id],
    queryFn: async (): Promise<Again | null> => {
      if (!id) return null
      const params = { params: { path: { importId: id } } }
      const job = await answered(api.GET('/api/imports/{importId}', params))
      // An import that ended before its file was read has no mapping.
      const mapping = await answered(api.GET('/api/imports/{importId}/mapping', params)).catch(() => null)
      return { job, mapping: mapping?.fields?.length ? mapping : null }
    },
    staleTime: Infinity,
    gcTime: 0,
  })
