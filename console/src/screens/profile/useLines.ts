import { useQuery } from '@tanstack/react-query'
import { typesQuery } from '@/api/imports'
import { useText, type MessageKey } from '@/i18n/messages'
import { kindOf, type LineKind } from './difference'

type Line = { key: string; about: string }

const kinds: Record<LineKind, MessageKey> = {
  name: 'profiles.name',
  auto: 'profiles.used',
  field: 'profile.kind.field',
  value: 'profile.kind.value',
  default: 'profile.kind.default',
  ignore: 'profile.kind.ignore',
  source: 'profile.kind.source',
  headers: 'profile.kind.headers',
}

/** Translates the lines of profiles of a type. */
export function useLines(importType: string) {
  const text = useText()
  const { data: types = [] } = useQuery(typesQuery)
  const titles = new Map(types.find(({ name }) => name === importType)?.fields.map(({ name, title }) => [name, title]))
  const kind = ({ key }: Line) => text(kinds[kindOf(key)])
  return {
    kind,
    about: (line: Line) => {
      const is = kindOf(line.key)
      return is === 'name' || is === 'auto' || is === 'headers'
        ? kind(line)
        : is === 'field'
          ? (titles.get(line.about) ?? line.about)
          : line.about
    },
    /** The text of a line; null if it is absent. */
    value: ({ key }: Line, value: string | null) =>
      value === null
        ? '–'
        : kindOf(key) === 'auto'
          ? text(value === 'true' ? 'profiles.auto' : 'profiles.named')
          : value,
  }
}
