import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema } from './client'
import { answered } from './problem'

export type ApiKey = Schema<'ApiKey'>
export type NewKey = { name: string; scopes: string[]; expiresInDays: number }

/** The API keys of the organisation, newest first. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => answered(api.GET('/api/settings/api-keys', { signal })),
})

const useKeys = <Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) => {
  const queries = useQueryClient()
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: keysQuery.queryKey }) })
}

/** Creates a key. Only this response contains it. */
export const useCreateKey = () => useKeys((key: NewKey) => answered(api.POST('/api/settings/api-keys', { body: key })))

/** Replaces a key. Only this response contains the new one; the former is accepted for 24 hours. */
export const useRotateKey = () =>
  useKeys((keyId: string) =>
    answered(api.POST('/api/settings/api-keys/{keyId}/rotate', { params: { path: { keyId } }, body: {} })),
  )

/** Revokes a key at once. */
export const useRevokeKey = () =>
  useKeys((keyId: string) => answered(api.DELETE('/api/settings/api-keys/{keyId}', { params: { path: { keyId } } })))
