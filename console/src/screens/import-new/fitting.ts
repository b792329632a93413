import type { Schema } from '@/api/client'

type Profile = Schema<'ProfileSummary'>

/** The profile for a file with exactly these headers: the one that is applied by itself, else the only other one. */
export function fitting(profiles: Profile[], header: string[]): Profile | null {
  const same = profiles.filter(
    ({ headers }) =>
      headers.length > 0 &&
      headers.length === header.length &&
      headers.every((name, place) => name.trim() === header[place]!.trim()),
  )
  return same.find(({ auto }) => auto) ?? (same.length === 1 ? same[0]! : null)
}
