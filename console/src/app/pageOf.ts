/** The page number in an address, from 0. Invalid numbers count as 0. */
export function pageOf(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? 0)
  return Number.isInteger(page) && page > 0 ? page : 0
}

/** Sets the page number of an address. */
export const withPage =
  (page: number) =>
  (before: URLSearchParams): URLSearchParams => {
    const query = new URLSearchParams(before)
    if (page > 0) query.set('page', String(page))
    else query.delete('page')
    return query
  }
