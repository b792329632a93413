import { ApiError } from '@/api/problem'
import type { Schema } from '@/api/client'

/** The destination of an upload: one URL, or one per part. */
export type Destination = Schema<'Upload'> | Schema<'PartsUpload'>

/** Uploads content to a URL and reports the number of bytes sent. */
export type Send = (
  to: { url: string; headers: Record<string, string> },
  content: Blob,
  progress: (bytes: number) => void,
  signal: AbortSignal,
) => Promise<void>

type Part = { url: string; headers: Record<string, string>; from: number; to: number }

/**
 * An upload to `destination`, of which `arrived` bytes were received before. It can be paused and resumed without sending a received part again; a single upload restarts.
 * It does not call the API: the caller completes a multipart upload.
 */
export class Upload {
  private readonly left: Part[]
  private underWay = 0

  constructor(
    private readonly file: Blob,
    destination: Destination,
    private readonly send: Send,
    private readonly onProgress: (sent: number) => void,
    private arrived = 0,
  ) {
    this.left = partsOf(destination, file.size)
  }

  /** Uploads the missing bytes. It throws if a request fails or the signal is aborted, and can be called again. */
  async run(signal: AbortSignal): Promise<void> {
    for (let part = this.left[0]; part; part = this.left[0]) {
      this.report(0)
      await this.send(part, this.file.slice(part.from, part.to), (bytes) => this.report(bytes), signal)
      this.arrived += part.to - part.from
      this.left.shift()
    }
    this.report(0)
  }

  private report(underWay: number): void {
    this.underWay = underWay
    this.onProgress(this.arrived + this.underWay)
  }
}

function partsOf(destination: Destination, size: number): Part[] {
  if (!('parts' in destination)) return [{ url: destination.url, headers: destination.headers, from: 0, to: size }]
  const { partSizeBytes, parts } = destination
  return [...parts]
    .sort((a, b) => a.partNumber - b.partNumber)
    .map(({ partNumber, url }) => ({
      url,
      headers: {},
      from: (partNumber - 1) * partSizeBytes,
      to: Math.min(partNumber * partSizeBytes, size),
    }))
}

/** Uploads with XMLHttpRequest, which reports progress. Status 412 means that the file exists already and counts as success. */
export const sendByBrowser: Send = ({ url, headers }, content, progress, signal) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open('PUT', url)
    for (const [name, value] of Object.entries(headers))
      if (!forbidden.has(name.toLowerCase())) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded }) => progress(loaded)
    request.onload = () =>
      request.status < 300 || request.status === 412 ? resolve() : reject(new ApiError(request.status, {}))
    request.onerror = () => reject(new ApiError(0, {}))
    request.onabort = () => reject(new DOMException('paused', 'AbortError'))
    request.onloadend = () => signal.removeEventListener('abort', abort)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    request.send(content)
  })

// The browser sets these itself.
const forbidden = new Set(['host', 'content-length'])
