import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { ImportSummary } from '@/api/imports'
import { answered } from '@/api/problem'
import { fileKey } from './useLook'

/** Maximum size of a file that is hashed in the browser, in bytes. */
const largest = 50_000_000

/** The newest import of exactly this file, and the number of them; null if there is none, or if it is not known. */
export const sameFileQuery = (file: File | null) =>
  queryOptions({
    queryKey: ['same-file', fileKey(file)],
    queryFn: async ({ signal }) => {
      const sha256 = await hashOf(file!)
      const found = await answered(api.GET('/api/imports', { params: { query: { sha256, size: 20 } }, signal }))
      return newestOf(found)
    },
    enabled: file !== null && file.size <= largest && isSecureContext, // hashes need a secure context
    staleTime: 10_000,
    gcTime: 60_000,
    retry: false,
  })

/** The newest import of a file that wrote its rows or may still do so. */
export const newestOf = (imports: ImportSummary[]): ImportSummary | null =>
  imports.find(
    ({ retryOf, undoOf, dryRun, status }) =>
      !retryOf && !undoOf && !dryRun && status !== 'FAILED' && status !== 'CANCELLED',
  ) ?? null

/** The SHA-256 of a file in hexadecimal. */
export async function hashOf(file: File): Promise<string> {
  const sum = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
  return Array.from(new Uint8Array(sum), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
