import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema } from './client'
import { answered, withResponse } from './problem'

export type Profile = Schema<'Profile'>
export type ProfileVersion = Schema<'ProfileVersionDocument'>

export const profilesPage = 50
const usesPage = 20

/** A page of all profiles, by type and name. */
export const allProfilesQuery = (page: number) =>
  queryOptions({
    queryKey: ['profiles', 'all', page],
    queryFn: async ({ signal }) => {
      const { data, headers } = await withResponse(
        api.GET('/api/profiles', { params: { query: { page, size: profilesPage } }, signal }),
      )
      return { profiles: data, total: Number(headers.get('X-Total-Count') ?? data.length) }
    },
    placeholderData: keepPreviousData,
  })

const path = (id: string) => ({ params: { path: { profileId: id } } })

/** A profile with its mapping. */
export const profileQuery = (id: string) =>
  queryOptions({
    queryKey: ['profile', id],
    queryFn: ({ signal }) => answered(api.GET('/api/profiles/{profileId}', { ...path(id), signal })),
  })

/** The stored versions of a profile, newest first, without their mappings. */
export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['profile', id, 'versions'],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/api/profiles/{profileId}/versions', {
          params: { path: { profileId: id }, query: { size: 100 } },
          signal,
        }),
      ),
  })

/** A version with its mapping. Versions are immutable. */
export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ['profile', id, 'versions', version],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/api/profiles/{profileId}/versions/{version}', {
          params: { path: { profileId: id, version: String(version) } },
          signal,
        }),
      ),
    staleTime: Infinity,
    enabled: version > 0,
  })

/** The latest imports that used a profile. */
export const usesQuery = (id: string) =>
  queryOptions({
    queryKey: ['profile', id, 'uses'],
    queryFn: async ({ signal }) => {
      const { data, headers } = await withResponse(
        api.GET('/api/profiles/{profileId}/imports', {
          params: { path: { profileId: id }, query: { size: usesPage } },
          signal,
        }),
      )
      return { imports: data, total: Number(headers.get('X-Total-Count') ?? data.length) }
    },
  })

/** Updates a profile based on the version shown. The request fails if somebody else changed the profile in between. */
export function useChangeProfile({ id, version }: Profile) {
  const settled = useForget(id)
  return useMutation({
    mutationFn: (change: { name?: string; auto?: boolean; notify?: string[] }) =>
      answered(
        api.PATCH('/api/profiles/{profileId}', {
          params: { path: { profileId: id }, header: { 'If-Match': `"${version}"` } },
          body: change,
        }),
      ),
    onSettled: settled,
  })
}

/** Restores an earlier version as the newest. */
export function useRestoreProfile(id: string) {
  const settled = useForget(id)
  return useMutation({
    mutationFn: (version: number) =>
      answered(
        api.POST('/api/profiles/{profileId}/versions/{version}/restore', {
          params: { path: { profileId: id, version: String(version) } },
        }),
      ),
    onSettled: settled,
  })
}

/** Deletes a profile with its versions. */
export function useDeleteProfile(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => answered(api.DELETE('/api/profiles/{profileId}', path(id))),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['profiles'] }),
  })
}

function useForget(id: string) {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['profile', id] }),
      queries.invalidateQueries({ queryKey: ['profiles'] }),
    ])
}
