import { ApiError, type Schema } from '@loadbay/client'

export { ApiError, answered, withResponse } from '@loadbay/client'

/** The error of a response that was fetched without the client. */
export async function errorOf(response: Response): Promise<ApiError> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Schema<'Problem'>>
  return new ApiError(response.status, problem)
}
