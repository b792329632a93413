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

/** Page size of the lists of all organisations. */
export const overseenPage = 20

/** Maximum number of dead letters that the API returns for a queue. */
export const mostLetters = 50

const often = 5_000

/** The total number of entries. */
const totalOf = (headers: Headers, page: unknown[]): number => Number(headers.get('X-Total-Count') ?? page.length)

let last: Promise<unknown> = Promise.resolve()

/** Runs requests one after the other: few instances serve operators, and a screen that sends all requests at once would be throttled. */
function inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const next = last.then(ask, ask)
  last = next
  return next
}

/** Figures of the installation. */
export const overviewQuery = queryOptions({
  queryKey: ['operator', 'overview'],
  queryFn: ({ signal }) => inTurn(() => answered(api.GET('/api/admin/overview', { signal }))),
  refetchInterval: often,
})

/** Which imports to show: stuck, open or all. */
export type Shown = 'stuck' | 'open' | 'all'

/** A page of imports of all organisations. Open imports come first, longest without progress first. */
export const overseenImportsQuery = (shown: Shown, page: number) =>
  queryOptions({
    queryKey: ['operator', 'imports', shown, page],
    queryFn: async ({ signal }) => {
      const filter = {
        stuck: { stuck: true, sort: 'updatedAt' as const },
        open: { active: true, sort: 'updatedAt' as const },
        all: {},
      }[shown]
      const { data, headers } = await inTurn(() =>
        withResponse(
          api.GET('/api/admin/imports', { params: { query: { ...filter, page, size: overseenPage } }, signal }),
        ),
      )
      return { imports: data, total: totalOf(headers, data) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: often,
  })

/** A page of stuck exports, newest first. */
export const stuckExportsQuery = (page: number) =>
  queryOptions({
    queryKey: ['operator', 'exports', page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await inTurn(() =>
        withResponse(
          api.GET('/api/admin/exports', { params: { query: { stuck: true, page, size: overseenPage } }, signal }),
        ),
      )
      return { exports: data, total: totalOf(headers, data) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: often,
  })

/** A page of unfinished erasures, oldest first. */
export const erasuresQuery = (page: number) =>
  queryOptions({
    queryKey: ['operator', 'erasures', page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await inTurn(() =>
        withResponse(api.GET('/api/admin/erasures', { params: { query: { page, size: overseenPage } }, signal })),
      )
      return { erasures: data, total: totalOf(headers, data) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: often,
  })

/** The number of messages in each queue. */
export const queuesQuery = queryOptions({
  queryKey: ['operator', 'queues'],
  queryFn: ({ signal }) => inTurn(() => answered(api.GET('/api/admin/queues', { signal }))),
  refetchInterval: often,
})

/** The dead letters of a queue. Reading them hides them from other readers for a moment, so they are fetched only on request. */
export const deadLettersQuery = (queue: QueueState['name']) =>
  queryOptions({
    queryKey: ['operator', 'queues', queue],
    queryFn: ({ signal }) =>
      inTurn(() =>
        answered(api.GET('/api/admin/queues/{queue}/dead-letters', { params: { path: { queue } }, signal })),
      ),
  })

/** A page of organisations, by id. */
export const organisationsQuery = (page: number) =>
  queryOptions({
    queryKey: ['operator', 'organisations', page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await inTurn(() =>
        withResponse(api.GET('/api/admin/organisations', { params: { query: { page, size: overseenPage } }, signal })),
      )
      return { organisations: data, total: totalOf(headers, data) }
    },
    placeholderData: keepPreviousData,
  })

/** The first entries of a list by name, and the number of the others. */
export type Names = { names: string[]; others: number }

const firstOf = ({ data, headers }: { data: { name: string }[]; headers: Headers }): Names => ({
  names: data.map(({ name }) => name),
  others: totalOf(headers, data) - data.length,
})

/** The contexts of an organisation's imports. */
export const contextsOfQuery = (organisationId: number) =>
  queryOptions({
    queryKey: ['operator', 'contexts', organisationId],
    queryFn: ({ signal }) =>
      inTurn(async () => {
        const asked = { params: { path: { organisationId: String(organisationId) } }, signal }
        const periods = await withResponse(api.GET('/api/admin/organisations/{organisationId}/periods', asked))
        const events = await withResponse(api.GET('/api/admin/organisations/{organisationId}/events', asked))
        return { periods: firstOf(periods), events: firstOf(events) }
      }),
  })

const useOperation = <Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) => {
  const queries = useQueryClient()
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: ['operator'] }) })
}

/** Requeues the open work of an import. */
export const useRedriveImport = () =>
  useOperation((importId: string) =>
    answered(api.POST('/api/admin/imports/{importId}/redrive', { params: { path: { importId } } })),
  )

/** Cancels an import of an organisation. */
export const useCancelImport = () =>
  useOperation((of: OverseenImport) =>
    answered(
      api.DELETE('/api/admin/organisations/{organisationId}/imports/{importId}', {
        params: { path: { organisationId: String(of.organisationId), importId: of.identifier } },
      }),
    ),
  )

/** Requeues an export. */
export const useRedriveExport = () =>
  useOperation((id: string) =>
    answered(api.POST('/api/admin/exports/{exportId}/redrive', { params: { path: { exportId: id } } })),
  )

/** Cancels an export of an organisation. */
export const useEndExport = () =>
  useOperation((of: OverseenExport) =>
    answered(
      api.DELETE('/api/admin/organisations/{organisationId}/exports/{exportId}', {
        params: { path: { organisationId: String(of.organisationId), exportId: of.id } },
      }),
    ),
  )

/** Resumes an erasure. */
export const useContinueErasure = () =>
  useOperation((of: OpenErasure) =>
    answered(
      api.DELETE('/api/admin/organisations/{organisationId}/persons/{personKey}', {
        params: { path: { organisationId: String(of.organisationId), personKey: String(of.personId) } },
      }),
    ),
  )

type OfQueue = { queue: QueueState['name']; messageId: string }

/** Requeues a dead letter. */
export const useRedriveLetter = () =>
  useOperation((path: OfQueue) =>
    answered(api.POST('/api/admin/queues/{queue}/dead-letters/{messageId}/redrive', { params: { path } })),
  )

/** Deletes a dead letter. */
export const useDiscardLetter = () =>
  useOperation((path: OfQueue) =>
    answered(api.POST('/api/admin/queues/{queue}/dead-letters/{messageId}/discard', { params: { path } })),
  )

/** Sets quotas of an organisation; null restores the default. */
export const useSetQuotas = (organisationId: number) =>
  useOperation((body: Quotas) =>
    answered(
      api.PUT('/api/admin/organisations/{organisationId}/quotas', {
        params: { path: { organisationId: String(organisationId) } },
        body,
      }),
    ),
  )

/** Replaces the confirmed e-mail domains of an organisation. */
export const useConfirmMailDomains = (organisationId: number) =>
  useOperation((mailDomains: string[]) =>
    answered(
      api.PUT('/api/admin/organisations/{organisationId}/mail-domains', {
        params: { path: { organisationId: String(organisationId) } },
        body: { mailDomains },
      }),
    ),
  )

/** Activates or deactivates an organisation. */
export const useActivate = (organisationId: number) =>
  useOperation((active: boolean) =>
    answered(
      api.POST(
        active
          ? '/api/admin/organisations/{organisationId}/activate'
          : '/api/admin/organisations/{organisationId}/deactivate',
        { params: { path: { organisationId: String(organisationId) } } },
      ),
    ),
  )
