import { isCollection, isMap, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml'
import type { Finding } from '@/api/declarations'
import type { Schema } from '@/api/client'

/** A part of a declaration, such as ['fields', 2, 'title']. */
export type Path = (string | number)[]

/** A field of a declaration. */
export type Field = {
  name: string
  column: string
  reference?: { table: string; by?: unknown[]; within?: string }
} & Partial<Record<string, unknown>>

export type Key = { name: string; fields: string[]; index: string }

/** A declaration as far as the form knows it. Members of another shape are absent. */
export type Declaration = {
  name: string
  title: string
  subjects: string[]
  target: { table?: unknown }
  tenant: { none?: unknown; column?: unknown; value?: unknown; session?: unknown }
  identity: string[]
  keys: Key[]
  modes: string[]
  deleted: { column?: unknown; again?: unknown } | undefined
  person: { key?: unknown } | undefined
  capture: string
  fields: Field[]
}

/** Something wrong at a place of the source, counted from 1. */
export type Fault = { line: number; column: number; path: string; message: string }

/** The source of a declaration. `declaration` is null if the form cannot show it. */
export type Source = { declaration: Declaration | null; faults: Fault[]; placeOf: (path: string) => Place }

type Place = { line: number; column: number }

/** Reads a source in YAML or JSON. */
export function read(source: string): Source {
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const faults = document.errors.map(({ message, pos }) => ({ ...at(pos[0]), path: '', message }))
  return {
    declaration: faults.length > 0 ? null : declarationOf(document),
    faults,
    placeOf: (path) => at(offsetOf(document, pathOf(path))),
  }
}

/** Changes a member of a source, or removes it if the value is undefined. Comments stay. */
export function change(source: string, path: Path, value: unknown): string {
  const document = parseDocument(source)
  if (value === undefined) document.deleteIn(path)
  else {
    const node = document.createNode(value) as Node
    const isBlock = path.length === 1 && Array.isArray(value) && value.some((each) => typeof each === 'object')
    if (isCollection(node)) node.flow = !isBlock
    if (isSeq(node) && isBlock) for (const each of node.items) if (isCollection(each)) each.flow = true
    document.setIn(path, typeof value === 'object' ? node : value)
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false })
}

/** The faults of a problem of the API, whose messages begin with the line and column. */
export const faultsOf = (fields: { field: string; message: string }[]): Fault[] =>
  fields.map(({ field, message }) => {
    const [, line, column, words] = /^Line (\d+), column (\d+): (.*)$/s.exec(message) ?? []
    return { line: Number(line ?? 1), column: Number(column ?? 1), path: field, message: words ?? message }
  })

/** A finding. `field` is the name of the field that it is about, because indexes change in the form. */
export type Noted = Finding & { field?: string }

/** Adds the names of fields to findings about the declaration. */
export function noted(findings: readonly Finding[], declaration: Schema<'Declaration'> | Declaration | null): Noted[] {
  return findings.map((finding) => {
    const [, index] = /^fields\[(\d+)\]/.exec(finding.path) ?? []
    const name = index && (declaration?.fields[Number(index)] as { name?: unknown } | undefined)?.name
    return typeof name === 'string' ? { ...finding, field: name } : finding
  })
}

/** The path of a finding in a declaration whose fields may have moved since. */
export function pathIn(declaration: Declaration | null, { path, field }: Noted): string {
  if (!field || !declaration) return path
  const index = declaration.fields.findIndex(({ name }) => name === field)
  return index < 0 ? 'fields' : path.replace(/^fields\[\d+\]/, `fields[${index}]`)
}

/** Parses a path as the API writes it, such as `fields[2].title`. */
const pathOf = (path: string): Path =>
  [...path.matchAll(/[^.[\]]+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : part))

/** The offset of a part, or of the closest part around it that exists. */
function offsetOf(document: Document, path: Path): number {
  let node: unknown = document.contents
  let offset = rangeOf(node)
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(key) === String(part))
      if (!pair) break
      offset = rangeOf(pair.key)
      node = pair.value
    } else if (isSeq(node) && typeof part === 'number' && node.items[part] !== undefined) {
      node = node.items[part]
      offset = rangeOf(node)
    } else break
  }
  return offset
}

const rangeOf = (node: unknown): number => (node as Node | null)?.range?.[0] ?? 0

/** The members that the form needs, with their expected types; null if the source is no declaration. */
function declarationOf(document: Document): Declaration | null {
  let raw: unknown
  try {
    raw = document.toJS({ maxAliasCount: 0 })
  } catch {
    return null // it has aliases, which the API refuses
  }
  if (!isObject(raw)) return null
  const fields = listOf(raw.fields).filter(isObject)
  if (fields.length !== listOf(raw.fields).length) return null
  return {
    name: textOf(raw.name),
    title: textOf(raw.title),
    subjects: listOf(raw.subjects).map(textOf),
    target: objectOf(raw.target) ?? {},
    tenant: objectOf(raw.tenant) ?? {},
    identity: listOf(raw.identity).map(textOf),
    keys: listOf(raw.keys)
      .map((key) => objectOf(key) ?? {})
      .map(({ name, fields, index }) => ({
        name: textOf(name),
        fields: listOf(fields).map(textOf),
        index: textOf(index),
      })),
    modes: listOf(raw.modes).map(textOf),
    deleted: objectOf(raw.deleted),
    person: objectOf(raw.person),
    capture: textOf(raw.capture),
    fields: fields.map((field) => ({ ...field, name: textOf(field.name), column: textOf(field.column) })),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectOf = (value: unknown) => (isObject(value) ? value : undefined)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])

/** A single value as a text; the API takes numbers and booleans as texts, too. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** The list in a text with commas. */
export const split = (text: string, mark = ','): string[] =>
  text
    .split(mark)
    .map((each) => each.trim())
    .filter(Boolean)
