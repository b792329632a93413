import type { Loadbay } from './client.js'
import { ApiError, answered, reached } from './problem.js'
import { retrying } from './retries.js'
import type { components } from './schema.js'

type Destination = components['schemas']['Upload'] | components['schemas']['PartsUpload']

/** Options of an upload. */
export interface UploadOptions {
  /** Called with the number of bytes sent, including those of an earlier upload. */
  progress?: (sent: number, total: number) => void
  signal?: AbortSignal
}

/** How many parts are uploaded at the same time. */
const parallelParts = 4
const attempts = 5

// The browser sets these itself.
const forbidden = new Set(['host', 'content-length'])

/** Uploads a file to the destination of an import that was announced. Parts can arrive in any order. */
export async function upload(
  api: Loadbay, importId: string, to: Destination, file: Blob, { progress, signal }: UploadOptions = {}, arrived = 0,
): Promise<void> {
  let sent = arrived
  const add = (bytes: number) => progress?.((sent += bytes), file.size)
  if (!('parts' in to)) {
    await put(to.url, to.headers, file, signal)
    add(file.size)
    return
  }
  const left = [...to.parts]
  const failed = new AbortController() // ends the other parts when one has failed
  const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
  const sendParts = async () => {
    for (let part = left.shift(); part; part = left.shift()) {
      const from = (part.partNumber - 1) * to.partSizeBytes
      const piece = file.slice(from, from + to.partSizeBytes)
      await put(part.url, {}, piece, either)
      add(piece.size)
    }
  }
  try {
    await Promise.all(Array.from({ length: parallelParts }, sendParts))
  } catch (error) {
    failed.abort()
    throw error
  }
  const params = { path: { importId }, query: { uploadId: to.uploadId } }
  await answered(api.POST('/api/imports/{importId}/upload/complete', { params, ...(signal && { signal }) }))
}

/** Continues an interrupted upload, also one that another program began. Parts that have arrived are not sent again. */
export async function resumeUpload(api: Loadbay, importId: string, file: Blob, options: UploadOptions = {}): Promise<void> {
  const pending = await answered(api.GET('/api/imports/{importId}/upload', { params: { path: { importId } } }))
  if (pending.sizeBytes !== file.size) {
    throw new Error(`The file of the import has ${pending.sizeBytes} bytes, this file has ${file.size}.`)
  }
  await upload(api, importId, pending.upload, file, options, pending.arrivedBytes)
}

/** Uploads a piece of a file. Status 412 means that an earlier attempt has uploaded it, although its response was lost. */
async function put(url: string, headers: Record<string, string>, piece: Blob, signal?: AbortSignal): Promise<void> {
  const allowed = Object.entries(headers).filter(([name]) => !forbidden.has(name.toLowerCase()))
  const send = retrying(() => fetch(url, { method: 'PUT', headers: allowed, body: piece, signal: signal ?? null }), attempts)
  const response = await reached(send(new Request(url, { method: 'PUT', signal: signal ?? null })))
  await response.body?.cancel()
  if (!response.ok && response.status !== 412) throw new ApiError(response.status, { detail: 'The storage refused a part of the file.' })
}
