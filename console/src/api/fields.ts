import { useQuery } from '@tanstack/react-query'
import type { Schema } from './client'
import { typesQuery } from './imports'

/** What is known of the fields of a type by their names. A column that no field is of has its own name and holds a text. */
export type Fields = { title: (name: string) => string; kind: (name: string) => Schema<'Field'>['kind'] }

/** The fields of a type, as soon as they are known. */
export function useFields(type: string): Fields {
  const { data: types = [] } = useQuery(typesQuery)
  const fields = new Map(types.find(({ name }) => name === type)?.fields.map((field) => [field.name, field]))
  return { title: (name) => fields.get(name)?.title ?? name, kind: (name) => fields.get(name)?.kind ?? (isTime(name) ? 'timestamp' : 'text') }
}

/** What types are called, as soon as that is known. */
export function useTypeTitle(): (type: string) => string {
  const { data: types = [] } = useQuery(typesQuery)
  return (type) => types.find(({ name }) => name === type)?.title ?? type
}

/** Whether a column says when a row was made or changed. */
export const isTime = (column: string): boolean => /^(created|updated)_at$/i.test(column)
