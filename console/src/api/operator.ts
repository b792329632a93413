import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema } from './client'
import { answered, withResponse } from './problem'

export type OverseenImport = Schema<'OverseenImport'>
export type OverseenExport = Schema<'OverseenExport'>
export type OpenErasure = Schema<'OpenErasure'>
export type QueueState = Schema<'QueueState'>
export type DeadLetter = Schema<'DeadLetter'>
export type Organisation = Schema<'Organisation'>
export type Quotas = Schema<'OwnQuotas'>

/** How many entries are on a page of a list of all organisations. */
export const overseenPage = 20

/** How many dead letters of a queue the API shows at most. */
export const mostLetters = 50

const often = 5_000

/** How many there are of what a page is of. */
const totalOf = (headers: Headers, page: unknown[]): number => Number(headers.get('X-Total-Count') ?? page.length)

let last: Promise<unknown> = Promise.resolve()

/** Asks when what was asked before is answered: few instances serve operators, and a screen that asks everything at once would be refused. */
function inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const next = last.then(ask, ask)
  last = next
  return next
}

/** How the installation does. */
export const overviewQuery = queryOptions({
  queryKey: ['operator', 'overview'],
  queryFn: ({ signal }) => inTurn(() => answered(api.GET('/api/admin/overview', { signal }))),
  refetchInterval: often,
})

/** Which imports are shown: those that nothing moves, all that are open, or all. */
export type Shown = 'stuck' | 'open' | 'all'

/** A page of imports of all organisations: of those that have not ended, what has stood still longest first. */
export const overseenImportsQuery = (shown: Shown, page: number) =>
  queryOptions({
    queryKey: ['operator', 'imports', shown, page],
    queryFn: async ({ signal }) => {
      const filter = { stuck: { stuck: true, sort: 'updatedAt' as const }, open: { active: true, sort: 'updatedAt' as const }, all: {} }[shown]
      const { data, headers } = await inTurn(() => withResponse(api.GET('/api/admin/imports', { params: { query: { ...filter, page, size: overseenPage } }, signal })))
      return { imports: data, total: totalOf(headers, data) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: often,
  })

/** A page of exports that are stuck, the newest first. */
export const stuckExportsQuery = (page: number) =>
  queryOptions({
    queryKey: ['operator', 'exports', page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await inTurn(() => withResponse(api.GET('/api/admin/exports', { params: { query: { stuck: true, page, size: overseenPage } }, signal })))
      return { exports: data, total: totalOf(headers, data) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: often,
  })

/** A page of erasures of persons that have not ended, the oldest first. */
export const erasuresQuery = (page: number) =>
  queryOptions({
    queryKey: ['operator', 'erasures', page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await inTurn(() => withResponse(api.GET('/api/admin/erasures', { params: { query: { page, size: overseenPage } }, signal })))
      return { erasures: data, total: totalOf(headers, data) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: often,
  })

/** How full the queues are. */
export const queuesQuery = queryOptions({
  queryKey: ['operator', 'queues'],
  queryFn: ({ signal }) => inTurn(() => answered(api.GET('/api/admin/queues', { signal }))),
  refetchInterval: often,
})

/** Messages of a queue that nobody could handle. To look hides them from others for a moment, so it is not done by itself. */
export const deadLettersQuery = (queue: QueueState['name']) =>
  queryOptions({
    queryKey: ['operator', 'queues', queue],
    queryFn: ({ signal }) => inTurn(() => answered(api.GET('/api/admin/queues/{queue}/dead-letters', { params: { path: { queue } }, signal }))),
  })

/** A page of organisations, by id. */
export const organisationsQuery = (page: number) =>
  queryOptions({
    queryKey: ['operator', 'organisations', page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await inTurn(() => withResponse(api.GET('/api/admin/organisations', { params: { query: { page, size: overseenPage } }, signal })))
      return { organisations: data, total: totalOf(headers, data) }
    },
    placeholderData: keepPreviousData,
  })

/** The first of a list by their names, and how many there are beside them. */
export type Names = { names: string[]; others: number }

const firstOf = ({ data, headers }: { data: { name: string }[]; headers: Headers }): Names => ({ names: data.map(({ name }) => name), others: totalOf(headers, data) - data.length })

/** What the imports of an organisation can belong to. */
export const contextsOfQuery = (organisationId: number) =>
  queryOptions({
    queryKey: ['operator', 'contexts', organisationId],
    queryFn: ({ signal }) => inTurn(async () => {
      const asked = { params: { path: { organisationId: String(organisationId) } }, signal }
      const periods = await withResponse(api.GET('/api/admin/organisations/{organisationId}/periods', asked))
      const events = await withResponse(api.GET('/api/admin/organisations/{organisationId}/events', asked))
      return { periods: firstOf(periods), events: firstOf(events) }
    }),
  })

const useOperation = <Said, Answer>(mutationFn: (said: Said) => Promise<Answer>) => {
  const queries = useQueryClient()
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: ['operator'] }) })
}

/** Brings what is open of an import to the functions again. */
export const useRedriveImport = () => useOperation((uuid: string) => answered(api.POST('/api/admin/imports/{uuid}/redrive', { params: { path: { uuid } } })))

/** Ends an import of an organisation. */
export const useCancelImport = () =>
  useOperation((of: OverseenImport) => answered(api.DELETE('/api/admin/organisations/{organisationId}/imports/{uuid}', { params: { path: { organisationId: String(of.organisationId), uuid: of.identifier } } })))

/** Queues an export again. */
export const useRedriveExport = () => useOperation((id: string) => answered(api.POST('/api/admin/exports/{id}/redrive', { params: { path: { id } } })))

/** Ends an export of an organisation. */
export const useEndExport = () =>
  useOperation((of: OverseenExport) => answered(api.DELETE('/api/admin/organisations/{organisationId}/exports/{id}', { params: { path: { organisationId: String(of.organisationId), id: of.id } } })))

/** Goes on with an erasure. */
export const useContinueErasure = () =>
  useOperation((of: OpenErasure) => answered(api.DELETE('/api/admin/organisations/{organisationId}/persons/{key}', { params: { path: { organisationId: String(of.organisationId), key: String(of.personId) } } })))

type OfQueue = { queue: QueueState['name']; messageId: string }

/** Puts a dead letter back into its queue. */
export const useRedriveLetter = () => useOperation((path: OfQueue) => answered(api.POST('/api/admin/queues/{queue}/dead-letters/{messageId}/redrive', { params: { path } })))

/** Deletes a dead letter. */
export const useDiscardLetter = () => useOperation((path: OfQueue) => answered(api.POST('/api/admin/queues/{queue}/dead-letters/{messageId}/discard', { params: { path } })))

/** Gives an organisation quotas of its own; null is as for all. */
export const useSetQuotas = (organisationId: number) =>
  useOperation((body: Quotas) => answered(api.PUT('/api/admin/organisations/{organisationId}/quotas', { params: { path: { organisationId: String(organisationId) } }, body })))

/** Takes new imports and exports of an organisation, or no longer. */
export const useActivate = (organisationId: number) =>
  useOperation((active: boolean) => answered(api.POST(active ? '/api/admin/organisations/{organisationId}/activate' : '/api/admin/organisations/{organisationId}/deactivate', { params: { path: { organisationId: String(organisationId) } } })))
