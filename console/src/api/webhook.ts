import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema } from './client'
import { answered, ApiError, withResponse } from './problem'

export type Webhook = Schema<'Webhook'>
export type Delivery = Schema<'WebhookDelivery'>

export const deliveriesPage = 20

/** The webhook; null if none is registered. */
export const webhookQuery = queryOptions({
  queryKey: ['webhook'],
  queryFn: ({ signal }): Promise<Webhook | null> =>
    answered(api.GET('/api/webhook', { signal })).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return null
      throw error
    }),
})

/** A page of webhook deliveries. It is polled while a delivery is pending. */
export const deliveriesQuery = (page: number) =>
  queryOptions({
    queryKey: ['webhook', 'deliveries', page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await withResponse(
        api.GET('/api/webhook/deliveries', { params: { query: { page, size: deliveriesPage } }, signal }),
      )
      return { deliveries: data, total: Number(headers.get('X-Total-Count') ?? data.length) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some(({ status }) => status === 'PENDING') ? 2_000 : 15_000,
  })

const useWebhook = <Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) => {
  const queries = useQueryClient()
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: ['webhook'] }) })
}

/** Registers a webhook. The first response contains the secret, which is never shown again. */
export const useRegisterWebhook = () =>
  useWebhook((url: string) => answered(api.PUT('/api/webhook', { body: { url } })))

/** Rotates the secret. Only this response contains the new one. */
export const useRotateSecret = () => useWebhook((_: void) => answered(api.POST('/api/webhook/rotate-secret')))

/** Sends a test message. */
export const useTestWebhook = () => useWebhook((_: void) => answered(api.POST('/api/webhook/test')))

/** Deletes the webhook. */
export const useDeleteWebhook = () => useWebhook((_: void) => answered(api.DELETE('/api/webhook')))

/** Redelivers a message unchanged. */
export const useRedeliver = () =>
  useWebhook((eventId: string) =>
    answered(api.POST('/api/webhook/deliveries/{eventId}/redeliver', { params: { path: { eventId } } })),
  )
