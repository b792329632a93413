import type { Schema } from '@/api/client'

/** The mapping of columns that a person edits; it is saved with the import. */
export type Draft = Schema<'Mapping'>
export type Step = Schema<'Transform'>
type FileColumn = Schema<'ColumnMapping'>
type TargetField = Schema<'Field'>

/** The mapping of one field: columns or a fixed value. */
export type Made = Omit<Partial<Schema<'MappingField'>>, 'field'>

/** The columns of the file with the names used in mappings: the second `Header` is `Header#2`, a column without header is `#3`. */
export function named(columns: FileColumn[]): (FileColumn & { name: string })[] {
  const seen = new Map<string, number>()
  return columns
    .filter(({ columnIndex }) => columnIndex >= 0)
    .sort((a, b) => a.columnIndex - b.columnIndex)
    .map((column) => {
      const header = column.sourceHeader.trim()
      const times = (seen.get(header) ?? 0) + 1
      seen.set(header, times)
      return {
        ...column,
        name: header === '' ? `#${column.columnIndex + 1}` : times > 1 ? `${header}#${times}` : header,
      }
    })
}
export type NamedColumn = ReturnType<typeof named>[number]

/** The mapping of a field; undefined if there is none. */
export const mappingOf = (draft: Draft, field: string): Made | undefined =>
  draft.fields?.find((each) => each.field === field)

/** The fields that use a column. */
export const usesOf = (draft: Draft, column: string): string[] =>
  (draft.fields ?? []).filter(({ from }) => from?.includes(column)).map(({ field }) => field)

/** Sets the mapping of a field; null removes it. Its columns are no longer ignored. */
export function make(draft: Draft, field: string, made: Made | null): Draft {
  const others = (draft.fields ?? []).filter((each) => each.field !== field)
  const ignore = (draft.ignore ?? []).filter((column) => !made?.from?.includes(column))
  return { ...draft, fields: made ? [...others, { ...made, field } as Schema<'MappingField'>] : others, ignore }
}

/** Adds a column to a field. It replaces a fixed value. */
export function addColumn(draft: Draft, field: string, column: string): Draft {
  const { constant: _, ...made } = mappingOf(draft, field) ?? {}
  if (made.from?.includes(column)) return draft
  return make(draft, field, { separator: ' ', ...made, from: [...(made.from ?? []), column] })
}

/** Removes a column from a field. Removing the last column removes the mapping. */
export function dropColumn(draft: Draft, field: string, column: string): Draft {
  const made = mappingOf(draft, field)
  const from = made?.from?.filter((each) => each !== column) ?? []
  return make(draft, field, from.length > 0 ? { ...made, from } : null)
}

/** Ignores a column, or stops ignoring it. */
export function ignore(draft: Draft, column: string, isIgnored: boolean): Draft {
  const freed = usesOf(draft, column).reduce((less, field) => dropColumn(less, field, column), draft)
  const others = (freed.ignore ?? []).filter((each) => each !== column)
  return { ...freed, ignore: isIgnored ? [...others, column] : others }
}

/** The field whose fixed value or transformation is incomplete, if there is one. */
export const unfinished = (draft: Draft): string | undefined =>
  draft.fields?.find(({ constant, transforms = [] }) => constant === '' || !transforms.every(isWhole))?.field

/** Whether a draft can be saved: fixed values and transformations are complete. */
export const isWritten = (draft: Draft): boolean => unfinished(draft) === undefined

/** Whether a transformation is complete: its required arguments are set. */
export function isWhole({ op, values = {}, part, what, old, pattern, value, unit }: Step): boolean {
  switch (op) {
    case 'map':
      return Object.keys(values).length > 0
    case 'split':
      return Boolean(part)
    case 'strip':
      return Boolean(what)
    case 'replace':
      return Boolean(old)
    case 'extract':
    case 'date':
      return Boolean(pattern)
    case 'default':
      return Boolean(value)
    case 'convert':
      return Boolean(unit)
    default:
      return true
  }
}

/** A transformation that maps each of these texts to itself, as a template for replacements. Texts that differ only in case or white space count once. */
export function wordsStep(texts: string[]): Step {
  const words = new Map(
    texts.map((text) => [text.trim().toLowerCase(), text.trim()]).filter(([key]) => key !== '') as [string, string][],
  )
  return { op: 'map', values: Object.fromEntries([...words.values()].map((word) => [word, word])), otherwise: 'keep' }
}

/** The unit of a field's column if it is not the field's own and no step converts it. */
export function unitConflict(draft: Draft, field: string, columns: NamedColumn[]): NamedColumn['unit'] {
  const made = mappingOf(draft, field)
  if (made?.transforms?.some(({ op }) => op === 'convert')) return null
  const unit = columns.find(
    ({ name, unit }) =>
      made?.from?.includes(name) && unit?.field === field && unit.found && unit.found !== unit.expected,
  )?.unit
  return unit ?? null
}

/** Adds a transformation to a field. */
export function addStep(draft: Draft, field: string, step: Step): Draft {
  const made = mappingOf(draft, field)
  return make(draft, field, { ...made, transforms: [...(made?.transforms ?? []), step] })
}

/** Converts a field's values from a unit; the field's own unit says that they need no conversion. */
export const convertFrom = (draft: Draft, field: string, unit: string): Draft =>
  addStep(draft, field, { op: 'convert', unit })

/** The required fields without a mapping. */
export const missingFields = (draft: Draft, fields: TargetField[]): TargetField[] =>
  fields.filter((field) => field.isRequired && !mappingOf(draft, field.name))

/** A column that probably contains first and last names, if neither field has a mapping. */
export function joinedNames(draft: Draft, columns: NamedColumn[], fields: TargetField[]): NamedColumn | undefined {
  const isFree = (name: string) => !mappingOf(draft, name) && fields.some((field) => field.name === name)
  if (!isFree('FIRST_NAME') || !isFree('LAST_NAME')) return undefined
  const likely = (column: NamedColumn) =>
    column.kind === 'text' &&
    usesOf(draft, column.name).length === 0 &&
    column.candidates.some(({ field }) => field === 'LAST_NAME' || field === 'FIRST_NAME')
  return columns.find((column) => likely(column) && 2 * joined(column).length > column.samples.length)
}

/** The samples of a column with several words. One may be a total below the names. */
export const joined = ({ samples }: NamedColumn): string[] =>
  samples.filter((sample) => /^\S+[\s,]+\S/.test(sample.trim()))

/** Maps a column to first and last name: split at the comma if the names contain one, else at the first space. */
export function splitNames(draft: Draft, column: NamedColumn): Draft {
  const comma = joined(column).every((sample) => sample.includes(','))
  const part = (n: number, rest: boolean): Made => ({
    from: [column.name],
    separator: ' ',
    transforms: [{ op: 'split', separator: comma ? ',' : ' ', part: n, ...(rest && { rest }) }],
  })
  const [first, last] = comma ? [part(2, true), part(1, false)] : [part(1, false), part(2, true)]
  return make(make(draft, 'FIRST_NAME', first), 'LAST_NAME', last)
}

/** Sorts fields for editing: mapped and required fields first. */
export function inOrder(draft: Draft, fields: TargetField[]): { used: TargetField[]; others: TargetField[] } {
  const isUsed = (field: TargetField) => field.isRequired || mappingOf(draft, field.name) !== undefined
  return { used: fields.filter(isUsed), others: fields.filter((field) => !isUsed(field)) }
}
