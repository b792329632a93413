import type { ImportFilter } from '@/api/imports'
import { pageOf } from '@/app/pageOf'

/** What the list can be narrowed to. */
export const shows = ['all', 'waiting', 'active', 'completed', 'failed'] as const
export type Show = (typeof shows)[number]

/** What is filtered by, as the address has it. */
export type ListFilter = { show: Show; type: string; text: string; page: number }

export const pageSize = 25

/** The filter of an address. What it has wrong counts for nothing. */
export function readFilter(query: URLSearchParams): ListFilter {
  const show = shows.find((each) => each === query.get('show')) ?? 'all'
  return { show, type: query.get('type') ?? '', text: query.get('q') ?? '', page: pageOf(query) }
}

/** An address with a filter: what is as it is at first is left out. Other parameters stay. */
export function writeFilter(query: URLSearchParams, { show, type, text, page }: ListFilter): URLSearchParams {
  const written = new URLSearchParams(query)
  for (const [name, value] of Object.entries({ show: show === 'all' ? '' : show, type, q: text, page: page > 0 ? String(page) : '' })) {
    if (value) written.set(name, value)
    else written.delete(name)
  }
  return written
}

const statuses = { completed: ['COMPLETED'], failed: ['FAILED', 'CANCELLED'] } satisfies Partial<Record<Show, ImportFilter['status']>>

/** What to ask the API for. */
export function toQuery({ show, type, text, page }: ListFilter): ImportFilter {
  return {
    size: pageSize,
    ...(page > 0 && { page }),
    ...(show === 'active' || show === 'waiting' ? { [show]: true } : show !== 'all' && { status: [...statuses[show]] }),
    ...(type && { importType: type }),
    ...(text && { filename: text }),
  }
}
