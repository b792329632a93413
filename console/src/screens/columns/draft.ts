import type { Schema } from '@/api/client'

/** What the columns are, as a person has it before them: the document that the import keeps. */
export type Draft = Schema<'Mapping'>
export type Step = Schema<'Transform'>
type FileColumn = Schema<'ColumnMapping'>
type TargetField = Schema<'Field'>

/** What one field is made of: columns, or what all rows have. */
export type Made = Omit<Partial<Schema<'MappingField'>>, 'field'>

/** The columns of the file with the names that a mapping calls them by: the second `Header` is `Header#2`, one without a header `#3`. */
export function named(columns: FileColumn[]): (FileColumn & { name: string })[] {
  const seen = new Map<string, number>()
  return columns.filter(({ columnIndex }) => columnIndex >= 0).sort((a, b) => a.columnIndex - b.columnIndex).map((column) => {
    const header = column.sourceHeader.trim()
    const times = (seen.get(header) ?? 0) + 1
    seen.set(header, times)
    return { ...column, name: header === '' ? `#${column.columnIndex + 1}` : times > 1 ? `${header}#${times}` : header }
  })
}
export type NamedColumn = ReturnType<typeof named>[number]

/** What a field is made of; undefined of one that nothing is made of. */
export const madeOf = (draft: Draft, field: string): Made | undefined => draft.fields?.find((each) => each.field === field)

/** The fields that a column makes. */
export const usesOf = (draft: Draft, column: string): string[] => (draft.fields ?? []).filter(({ from }) => from?.includes(column)).map(({ field }) => field)

/** Makes a field of something else, or of nothing (null). Columns that it takes are ignored no more. */
export function make(draft: Draft, field: string, made: Made | null): Draft {
  const others = (draft.fields ?? []).filter((each) => each.field !== field)
  const ignore = (draft.ignore ?? []).filter((column) => !made?.from?.includes(column))
  return { ...draft, fields: made ? [...others, { ...made, field } as Schema<'MappingField'>] : others, ignore }
}

/** Adds a column to those that a field is made of. It takes the place of a constant. */
export function addColumn(draft: Draft, field: string, column: string): Draft {
  const { constant: _, ...made } = madeOf(draft, field) ?? {}
  if (made.from?.includes(column)) return draft
  return make(draft, field, { separator: ' ', ...made, from: [...(made.from ?? []), column] })
}

/** Takes a column out of a field; with its last one the field is made of nothing. */
export function dropColumn(draft: Draft, field: string, column: string): Draft {
  const made = madeOf(draft, field)
  const from = made?.from?.filter((each) => each !== column) ?? []
  return make(draft, field, from.length > 0 ? { ...made, from } : null)
}

/** Says that nothing is made of a column, or takes that back. */
export function ignore(draft: Draft, column: string, isIgnored: boolean): Draft {
  const freed = usesOf(draft, column).reduce((less, field) => dropColumn(less, field, column), draft)
  const others = (freed.ignore ?? []).filter((each) => each !== column)
  return { ...freed, ignore: isIgnored ? [...others, column] : others }
}

/** Whether a draft can be kept: what all rows are to have is written, and which words others are to become. */
export const isWritten = (draft: Draft): boolean => (draft.fields ?? []).every(({ constant, transforms = [] }) => constant !== '' && transforms.every(isWhole))

/** Whether a step says all it has to: one that changes words knows one at least. */
export const isWhole = ({ op, values = {} }: Step): boolean => op !== 'map' || Object.keys(values).length > 0

/** The step that leaves each of these texts as it is, for a person to say what it becomes: texts that differ in case or blanks only are one. */
export function wordsStep(texts: string[]): Step {
  const words = new Map(texts.map((text) => [text.trim().toLowerCase(), text.trim()]).filter(([key]) => key !== '') as [string, string][])
  return { op: 'map', values: Object.fromEntries([...words.values()].map((word) => [word, word])), otherwise: 'keep' }
}

/** The fields that every row needs and that nothing makes yet. */
export const missingFields = (draft: Draft, fields: TargetField[]): TargetField[] => fields.filter((field) => field.isRequired && !madeOf(draft, field.name))

/** A column that is likely the first and the last name together, while neither is made of anything. */
export function joinedNames(draft: Draft, columns: NamedColumn[], fields: TargetField[]): NamedColumn | undefined {
  if (['FIRST_NAME', 'LAST_NAME'].some((name) => madeOf(draft, name) || !fields.some((field) => field.name === name))) return undefined
  const likely = (column: NamedColumn) => column.kind === 'text' && usesOf(draft, column.name).length === 0 && column.candidates.some(({ field }) => field === 'LAST_NAME' || field === 'FIRST_NAME')
  return columns.find((column) => likely(column) && 2 * joined(column).length > column.samples.length)
}

/** The samples of a column that are of several words: one may be a total below the names. */
export const joined = ({ samples }: NamedColumn): string[] => samples.filter((sample) => /^\S+[\s,]+\S/.test(sample.trim()))

/** Makes first and last name of one column: of what stands around the comma where its names have one, else of what stands around the first space. */
export function splitNames(draft: Draft, column: NamedColumn): Draft {
  const comma = joined(column).every((sample) => sample.includes(','))
  const part = (n: number, rest: boolean): Made => ({ from: [column.name], separator: ' ', transforms: [{ op: 'split', separator: comma ? ',' : ' ', part: n, ...(rest && { rest }) }] })
  const [first, last] = comma ? [part(2, true), part(1, false)] : [part(1, false), part(2, true)]
  return make(make(draft, 'FIRST_NAME', first), 'LAST_NAME', last)
}

/** Fields in the order that a person works in: those that something makes or every row needs, then the others. */
export function inOrder(draft: Draft, fields: TargetField[]): { used: TargetField[]; others: TargetField[] } {
  const isUsed = (field: TargetField) => field.isRequired || madeOf(draft, field.name) !== undefined
  return { used: fields.filter(isUsed), others: fields.filter((field) => !isUsed(field)) }
}
