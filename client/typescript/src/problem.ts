import type { components } from './schema.js'

/** Why the API did not do something. `message` is the API's own sentence; `status` is 0 where it could not be reached. */
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

  /** Whether nothing answered: the network, or the service, is away. */
  get unreachable(): boolean {
    return this.status === 0
  }

  /** Whether the same request may do better a little later. */
  get passing(): boolean {
    return this.unreachable || this.status === 429 || this.status >= 500
  }
}

type Answer<Data> = { data?: Data; error?: unknown; response: Response }

/** The data of an answer; throws an ApiError for a refusal, and for no answer at all. */
export async function answered<Data>(request: Promise<Answer<Data>>): Promise<Data> {
  return (await withResponse(request)).data
}

/** The data of an answer and its headers, such as X-Total-Count. */
export async function withResponse<Data>(request: Promise<Answer<Data>>): Promise<{ data: Data; headers: Headers }> {
  let answer: Answer<Data>
  try {
    answer = await request
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, { detail: String(error) })
  }
  if (!answer.response.ok) {
    throw new ApiError(answer.response.status, typeof answer.error === 'object' && answer.error ? answer.error : {})
  }
  return { data: answer.data as Data, headers: answer.response.headers }
}
