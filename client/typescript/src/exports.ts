import type { Loadbay } from './client.js'
import { ApiError, answered, reached } from './problem.js'
import { pause } from './retries.js'
import type { components, paths } from './schema.js'

type Export = components['schemas']['Export']
type StreamQuery = Omit<paths['/v1/exports']['get']['parameters']['query'], 'redirect'>
type Wanted = NonNullable<paths['/api/exports']['post']['requestBody']>['content']['application/json']

/** The delay between polls of an export, in milliseconds. */
const poll = 500

/** Streams records as a file. The API limits its size; exportFile has no limit. */
export async function streamExport(api: Loadbay, query: StreamQuery, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const found = await answered(api.GET('/v1/exports', { params: { query: { ...query, redirect: false } }, ...(signal && { signal }) }))
  return download((found as components['schemas']['Elsewhere']).url, signal)
}

/** Requests an export of any size, waits for its file and streams it. */
export async function exportFile(
  api: Loadbay, wanted: Wanted, { key = crypto.randomUUID(), signal }: { key?: string; signal?: AbortSignal } = {},
): Promise<ReadableStream<Uint8Array>> {
  let job: Export = await answered(api.POST('/api/exports', { params: { header: { 'Idempotency-Key': key } }, body: wanted }))
  const path = { exportId: job.identifier }
  while (job.status === 'PENDING' || job.status === 'PROCESSING') {
    await pause(poll, signal)
    job = await answered(api.GET('/api/exports/{exportId}', { params: { path }, ...(signal && { signal }) }))
  }
  if (job.status !== 'COMPLETED') throw new Error(job.failure?.message ?? `The export is ${job.status}.`)
  const { url } = await answered(api.GET('/api/exports/{exportId}/download', { params: { path, query: { redirect: false } } }))
  return download(url, signal)
}

/** Opens an address that needs no token. */
async function download(url: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const response = await reached(fetch(url, { signal: signal ?? null }))
  if (!response.ok || !response.body) throw new ApiError(response.status, { detail: 'The file could not be downloaded.' })
  return response.body
}
