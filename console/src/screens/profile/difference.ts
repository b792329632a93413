import type { Schema } from '@/api/client'

type Mapping = Schema<'Mapping'>

/** One line of a mapping. Lines of two mappings with the same key correspond to each other. */
export type Line = { key: string; about: string; meaning: string }

/** A line of one version, of the other, or of both. */
export type Difference = { key: string; about: string; before: string | null; after: string | null }

/** The kinds of lines. */
export type LineKind = 'name' | 'auto' | 'field' | 'value' | 'default' | 'ignore' | 'source' | 'headers'

/** The kind of a line: the prefix of its key. */
export const kindOf = (key: string) => key.slice(0, key.indexOf(':')) as LineKind

/** The lines of a profile: one per field, value, default, ignored column, header and reading option. */
export function linesOf({
  mapping,
  headers,
  auto,
  name,
}: {
  mapping: Mapping
  headers: string[]
  auto: boolean
  name: string
}): Line[] {
  const line = (kind: LineKind, about: string, meaning: string) => ({ key: `${kind}:${about}`, about, meaning })
  return [
    line('name', 'name', name),
    line('auto', 'auto', String(auto)),
    ...(mapping.fields ?? []).map((field) => line('field', field.field, reading(field))),
    ...(mapping.values ?? []).map(({ field, value, ...target }) =>
      line('value', `${field} “${value}”`, meaning(target)),
    ),
    ...(mapping.defaults ?? []).map(({ field, ...target }) => line('default', `${field} *`, meaning(target))),
    ...(mapping.ignore ?? []).map((column) => line('ignore', column, '–')),
    ...Object.entries(mapping.source ?? {}).map(([option, value]) =>
      line('source', option, typeof value === 'object' ? JSON.stringify(value) : String(value)),
    ),
    ...(headers.length > 0 ? [line('headers', 'headers', headers.join(' · '))] : []),
  ]
}

/** The differences between two versions in the order of the later one; lines only in the earlier one come last. */
export function differences(earlier: Line[], later: Line[]): Difference[] {
  const byKey = (lines: Line[]) => new Map(lines.map(({ key, meaning }) => [key, meaning]))
  const [old, current] = [byKey(earlier), byKey(later)]
  return [...later, ...earlier.filter(({ key }) => !current.has(key))]
    .map(({ key, about }) => ({ key, about, before: old.get(key) ?? null, after: current.get(key) ?? null }))
    .filter(({ before, after }) => before !== after)
}

function reading({
  from = [],
  separator,
  constant,
  transforms = [],
  dateOrder,
  decimalMark,
}: Schema<'MappingField'>): string {
  const source = constant !== undefined ? `“${constant}”` : from.join(separator ? ` “${separator}” ` : ' + ')
  return [source, ...transforms.map((transform) => JSON.stringify(transform)), dateOrder, decimalMark]
    .filter(Boolean)
    .join(' → ')
}

const meaning = ({ to, toId, then }: { to?: string; toId?: string; then?: string }): string => to ?? toId ?? then ?? ''
