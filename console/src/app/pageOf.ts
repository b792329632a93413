/** The page that an address names, the first being 0. What is no page is the first. */
export function pageOf(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? 0)
  return Number.isInteger(page) && page > 0 ? page : 0
}

/** Changes an address to that of another page. */
export const withPage = (page: number) => (before: URLSearchParams): URLSearchParams => {
  const query = new URLSearchParams(before)
  if (page > 0) query.set('page', String(page))
  else query.delete('page')
  return query
}
