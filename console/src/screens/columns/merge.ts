import { mappingOf, type Draft } from './draft'

/** A merged draft, and the fields that both people changed differently. */
export type Merged = { draft: Draft; over: string[] }

/**
 * Merges the local changes of a draft (from `base` to `mine`) into another person's draft (`theirs`). Fields and columns without a local
 * change are taken from `theirs`; if both people changed a field, the local change wins.
 */
export function merge(base: Draft, mine: Draft, theirs: Draft): Merged {
  const names = [...new Set([...(theirs.fields ?? []), ...(mine.fields ?? [])].map(({ field }) => field))]
  const isChanged = (field: string, now: Draft) => !same(mappingOf(base, field), mappingOf(now, field))
  const fields = names.flatMap((field) => mappingOf(isChanged(field, mine) ? mine : theirs, field) ?? [])
  const columns = [...new Set([...(theirs.ignore ?? []), ...(mine.ignore ?? [])])]
  const ignores = (draft: Draft, column: string) => draft.ignore?.includes(column) ?? false
  const isUsed = (column: string) => fields.some(({ from }) => from?.includes(column))
  const ignore = columns.filter(
    (column) => !isUsed(column) && ignores(ignores(base, column) === ignores(mine, column) ? theirs : mine, column),
  )
  return {
    draft: { ...theirs, fields: fields as NonNullable<Draft['fields']>, ignore },
    over: names.filter(
      (field) =>
        isChanged(field, mine) && isChanged(field, theirs) && !same(mappingOf(mine, field), mappingOf(theirs, field)),
    ),
  }
}

/** Whether both are equal. Members with their default, such as an empty list of steps, are ignored. */
function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, place) => same(each, b[place]))
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b
  const [some, others] = [members(a), members(b)]
  return Object.keys({ ...some, ...others }).every((name) => same(some[name], others[name]))
}

/** The members of an object that differ from their default: no value, an empty list, and a space as separator. */
const members = (of: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(of).filter(
      ([name, value]) =>
        value !== undefined &&
        !(Array.isArray(value) && value.length === 0) &&
        !(name === 'separator' && value === ' '),
    ),
  )
