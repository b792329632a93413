import { useEffect, useEffectEvent, useState } from 'react'
import type { ImportJob } from '@/api/imports'
import { isWhole, type RowFilter } from './filter'
import { useAllRows, useFilteredRows, type Row } from './queries'

/** Distance to the last loaded row at which more rows are fetched. */
const ahead = 40

/** The rows of the grid: all by number, or those that match a filter, loaded page by page. */
export function useRows(job: ImportJob, filter: RowFilter, reach: { first: number; last: number | null } | undefined) {
  const [seen, setSeen] = useState({ from: 0, to: 0 })
  const whole = isWhole(filter)
  const first = reach?.first ?? 2
  const all = useAllRows(job.identifier, first, seen, whole && reach !== undefined)
  const filtered = useFilteredRows(job.identifier, filter, !whole)
  // A page may be empty although more rows follow, so fetching continues until the visible range is filled.
  const lacks =
    !whole &&
    !filtered.isFetching &&
    !filtered.isStuck &&
    !filtered.isComplete &&
    seen.to > filtered.rows.length - ahead
  const more = useEffectEvent(filtered.more)
  useEffect(() => {
    if (lacks) more()
  }, [lacks, filtered.parts])
  const rowAt = (place: number): Row | null | undefined => (whole ? all.rowAt(place) : filtered.rows[place])
  const sample = Array.from({ length: Math.max(1, seen.to - seen.from) }, (_, offset) =>
    rowAt(seen.from + offset),
  ).find((row) => row)
  return {
    rowAt,
    sample,
    count: whole ? (reach?.last ? reach.last - first + 1 : job.totalRows) : filtered.rows.length,
    isComplete: whole ? reach !== undefined : filtered.isComplete,
    error: whole ? all.error : filtered.error,
    see: (from: number, to: number) => {
      setSeen({ from, to })
      if (filtered.isStuck) filtered.more()
    },
  }
}
