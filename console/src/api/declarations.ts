import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema } from './client'
import { answered, withResponse } from './problem'

export type DeclaredType = Schema<'DeclaredTypeSummary'>
export type Finding = Schema<'TypeFinding'>
export type TypeCheck = Schema<'TypeCheck'>

export const tablesPage = 20
export const versionsPage = 20

const path = (name: string) => ({ params: { path: { type: name } } })

/** A body in YAML, which is sent as it is. */
const yaml = (source: string) => ({
  body: source,
  bodySerializer: (body: unknown) => body as string,
  headers: { 'Content-Type': 'application/yaml' },
})

/** Requests a declaration as a file. */
const asYaml = { headers: { Accept: 'application/yaml' }, parseAs: 'text' } as const

/** The types that the organisation has declared, by name, including retired ones. */
export const declaredTypesQuery = queryOptions({
  queryKey: ['declarations'],
  queryFn: ({ signal }) => answered(api.GET('/api/types', { signal })),
})

/** A page of the database's tables with their verdicts, by name. */
export const tablesQuery = (q: string, page: number) =>
  queryOptions({
    queryKey: ['tables', q, page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await withResponse(
        api.GET('/api/tables', { params: { query: { ...(q && { q }), page, size: tablesPage } }, signal }),
      )
      return { tables: data, total: Number(headers.get('X-Total-Count') ?? data.length) }
    },
    placeholderData: keepPreviousData,
  })

/** A new draft for a table. It is not requested again, because the person edits it. */
export const draftQuery = (table: string) =>
  queryOptions({
    queryKey: ['draft', table],
    queryFn: ({ signal }) => answered(api.POST('/api/types/adopt', { body: { table }, signal })),
    staleTime: Infinity,
    gcTime: 0,
  })

/** The declaration in use, as a file, with its version. */
export const declarationQuery = (name: string) =>
  queryOptions({
    queryKey: ['declarations', name],
    queryFn: async ({ signal }) => {
      const { data, headers } = await withResponse(api.GET('/api/types/{type}', { ...path(name), ...asYaml, signal }))
      return { source: data, version: Number(headers.get('ETag')?.replaceAll('"', '')) }
    },
    staleTime: Infinity, // another version must not replace what the person edits
  })

/** A page of the versions of a type, newest first. */
export const typeVersionsQuery = (name: string, page: number) =>
  queryOptions({
    queryKey: ['declarations', name, 'versions', page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await withResponse(
        api.GET('/api/types/{type}/versions', {
          params: { path: { type: name }, query: { page, size: versionsPage } },
          signal,
        }),
      )
      return { versions: data, total: Number(headers.get('X-Total-Count') ?? data.length) }
    },
    placeholderData: keepPreviousData,
  })

/** The declaration of a version, as a file. */
export const versionSource = (name: string, version: number): Promise<string> =>
  answered(
    api.GET('/api/types/{type}/versions/{version}', {
      params: { path: { type: name, version: String(version) } },
      ...asYaml,
    }),
  )

/** How the table differs from the one that the version in use was saved for. */
export const driftQuery = (name: string) =>
  queryOptions({
    queryKey: ['declarations', name, 'drift'],
    queryFn: ({ signal }) => answered(api.GET('/api/types/{type}/drift', { ...path(name), signal })),
  })

/** Checks whether imports with a declaration would work. Changes nothing. */
export const useCheckType = () =>
  useMutation({
    mutationFn: ({ name, source }: { name: string; source: string }) =>
      answered(api.POST('/api/types/{type}/check', { ...path(name), ...yaml(source) })),
  })

/** Publishes a declaration: as a new type if version is null, or as the next version of the type. */
export function usePublishType() {
  const forget = useForget()
  return useMutation({
    mutationFn: ({ name, version, source }: { name: string; version: number | null; source: string }) =>
      answered(
        version === null
          ? api.POST('/api/types', yaml(source))
          : api.PUT('/api/types/{type}', {
              ...yaml(source),
              params: { path: { type: name }, header: { 'If-Match': `"${version}"` } },
            }),
      ),
    onSuccess: forget,
  })
}

/** Retires a type: no import or export starts with it any more. */
export function useRetireType(name: string) {
  const forget = useForget()
  return useMutation({
    mutationFn: () => answered(api.POST('/api/types/{type}/retire', path(name))),
    onSuccess: forget,
  })
}

function useForget() {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['declarations'] }),
      queries.invalidateQueries({ queryKey: ['types'] }),
    ])
}
