import { useQuery } from '@tanstack/react-query'
import type { Schema } from './client'
import { typesQuery } from './imports'

/** Looks up the fields of a type by name. An unknown column keeps its name and is treated as text. */
export type Fields = { title: (name: string) => string; kind: (name: string) => Schema<'Field'>['kind'] }

/** The fields of a type, once they are loaded. */
export function useFields(type: string): Fields {
  const { data: types = [] } = useQuery(typesQuery)
  const fields = new Map(types.find(({ name }) => name === type)?.fields.map((field) => [field.name, field]))
  return {
    title: (name) => fields.get(name)?.title ?? name,
    kind: (name) => fields.get(name)?.kind ?? (isTime(name) ? 'timestamp' : 'text'),
  }
}

/** The titles of the types, once they are loaded. */
export function useTypeTitle(): (type: string) => string {
  const { data: types = [] } = useQuery(typesQuery)
  return (type) => types.find(({ name }) => name === type)?.title ?? type
}

/** Whether a column holds the creation or update time of a row. */
export const isTime = (column: string): boolean => /^(created|updated)_at$/i.test(column)
