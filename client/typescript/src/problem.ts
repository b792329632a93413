import type { components } from './schema.js'

/** An error response of the API. `message` is the API's message; `status` is 0 if the API could not be reached. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly fields: { field: string; code: string; message: string }[]
  readonly requestId: string

  constructor(status: number, body: Partial<components['schemas']['Problem']> & { message?: string }) {
    super(body.detail || body.title || body.message || `HTTP ${status}`)
    this.name = 'ApiError'
    this.status = status
    this.code = body.code ?? ''
    this.fields = body.errors ?? []
    this.requestId = body.requestId ?? ''
  }

  /** Whether there was no response because the network or the service is unavailable. */
  get unreachable(): boolean {
    return this.status === 0
  }

  /** Whether a retry of the same request may succeed. */
  get passing(): boolean {
    return this.unreachable || this.status === 429 || this.status >= 500
  }
}

/** The response to a request of a client. */
export type Answer<Data> = { data?: Data; error?: unknown; response: Response }

/** Returns the data of a response. Throws an ApiError for error responses and network failures. */
export async function answered<Data>(request: Promise<Answer<Data>>): Promise<Data> {
  return (await withResponse(request)).data
}

/** Turns a failure of the network into an ApiError with status 0. */
export async function reached<Answered>(request: Promise<Answered>): Promise<Answered> {
  try {
    return await request
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, { detail: String(error) })
  }
}

/** Returns the data of a response with its headers, such as X-Total-Count. */
export async function withResponse<Data>(request: Promise<Answer<Data>>): Promise<{ data: Data; headers: Headers }> {
  const answer = await reached(request)
  if (!answer.response.ok) {
    throw new ApiError(answer.response.status, typeof answer.error === 'object' && answer.error ? answer.error : {})
  }
  return { data: answer.data as Data, headers: answer.response.headers }
}
