import type { Loadbay } from './client.js'
import { ApiError, answered, reached } from './problem.js'
import { pause } from './retries.js'
import type { components } from './schema.js'
import { upload, type UploadOptions } from './uploads.js'

type ImportJob = components['schemas']['ImportJob']
type Creation = components['schemas']['Creation']

/** Most small imports end within this time, so polls are frequent at first. All in milliseconds. */
const quickPhase = 3_000
const quickPoll = 100
const longestPoll = 60_000

/** Files up to this size are announced with their checksum, for which they are read into memory. */
const maxDigested = 64 << 20

/** Whether an import has reached a final state. */
export const ended = ({ status }: ImportJob): boolean => ['COMPLETED', 'FAILED', 'CANCELLED'].includes(status)

/** Whether an import waits for a person: for answers, or for the approval of its plan. */
export const needsInput = ({ waitingFor }: ImportJob): boolean =>
  ['COLUMN_MAPPINGS', 'CELL_MAPPINGS', 'APPROVAL'].includes(waitingFor ?? '')

/** What an import is created with: importType and the options of `POST /api/imports`. */
export type ImportOptions = Omit<Creation, 'filename' | 'sizeBytes' | 'sha256'> & { filename?: string }

/**
 * Creates an import and uploads its file, in parts if it is large. The import then continues on the server: see waitForImport. With the
 * same key and file, a call can be repeated for 24 hours.
 */
export async function importFile(
  api: Loadbay, file: Blob & { name?: string }, options: ImportOptions, uploading: UploadOptions & { key?: string } = {},
): Promise<ImportJob> {
  const { key = crypto.randomUUID(), signal } = uploading
  const sha256 = file.size <= maxDigested ? hex(await crypto.subtle.digest('SHA-256', await file.arrayBuffer())) : undefined
  const body = { filename: file.name ?? 'upload.csv', ...options, sizeBytes: file.size, ...(sha256 && { sha256 }) }
  const params = { header: { 'Idempotency-Key': key } }
  const job = await answered(api.POST('/api/imports', { params, body, ...(signal && { signal }) }))
  if (job.upload) await upload(api, job.identifier, job.upload, file, uploading)
  return job
}

/** Waits until an import has ended or needs input, and returns it. `each` is called for every state. */
export async function waitForImport(
  api: Loadbay, importId: string, { each, signal }: { each?: (job: ImportJob) => void; signal?: AbortSignal } = {},
): Promise<ImportJob> {
  const begin = Date.now()
  const headers: Record<string, string> = {}
  for (;;) {
    const { data, error, response } = await reached(
      api.GET('/api/imports/{importId}', { params: { path: { importId } }, headers, ...(signal && { signal }) }),
    )
    if (response.status !== 304) {
      if (!data) throw new ApiError(response.status, error ?? {})
      headers['If-None-Match'] = response.headers.get('ETag') ?? ''
      each?.(data)
      if (ended(data) || needsInput(data)) return data
    }
    const seconds = Number(response.headers.get('Retry-After')) || 1
    await pause(Date.now() - begin < quickPhase ? quickPoll : Math.min(seconds * 1000, longestPoll), signal)
  }
}

const hex = (digest: ArrayBuffer) => [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
