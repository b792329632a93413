import type { ImportFilter } from '@/api/imports'
import { pageOf } from '@/app/pageOf'

/** The filters of the list. */
export const shows = ['all', 'waiting', 'active', 'completed', 'failed'] as const
export type Show = (typeof shows)[number]

/** The filter as stored in the address. */
export type ListFilter = { show: Show; type: string; text: string; page: number }

export const pageSize = 25

/** Parses the filter from the address. Invalid parts are ignored. */
export function readFilter(query: URLSearchParams): ListFilter {
  const show = shows.find((each) => each === query.get('show')) ?? 'all'
  return { show, type: query.get('type') ?? '', text: query.get('q') ?? '', page: pageOf(query) }
}

/** Writes the filter to the address. Defaults are omitted, other parameters are kept. */
export function writeFilter(query: URLSearchParams, { show, type, text, page }: ListFilter): URLSearchParams {
  const written = new URLSearchParams(query)
  for (const [name, value] of Object.entries({
    show: show === 'all' ? '' : show,
    type,
    q: text,
    page: page > 0 ? String(page) : '',
  })) {
    if (value) written.set(name, value)
    else written.delete(name)
  }
  return written
}

const statuses = { completed: ['COMPLETED'], failed: ['FAILED', 'CANCELLED'] } satisfies Partial<
  Record<Show, ImportFilter['status']>
>

/** The query parameters for the API. */
export function toQuery({ show, type, text, page }: ListFilter): ImportFilter {
  return {
    size: pageSize,
    ...(page > 0 && { page }),
    ...(show === 'active' || show === 'waiting' ? { [show]: true } : show !== 'all' && { status: [...statuses[show]] }),
    ...(type && { importType: type }),
    ...(text && { filename: text }),
  }
}
