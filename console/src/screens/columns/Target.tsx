import { ChevronDown, TriangleAlert, X } from 'lucide-react'
import { useMemo, useState, type DragEvent } from 'react'
import type { Schema } from '@/api/client'
import { useFormat } from '@/i18n/format'
import { useText, type MessageKey } from '@/i18n/messages'
import { Button, Select, type Choice } from '@/ui'
import css from './Columns.module.css'
import {
  addColumn,
  addStep,
  convertFrom,
  dropColumn,
  make,
  mappingOf,
  unitConflict,
  usesOf,
  type Draft,
  type Made,
  type NamedColumn,
  type Step,
} from './draft'
import { dragged } from './FileColumns'
import { FieldMapping } from './FieldMapping'
import { Suggestions } from './Suggestions'
import { suggestedSteps } from './suggest'
import { useMixedDates } from './useMixedDates'

/** The preview of a field for the first rows. */
export type Shown = { faults: number; samples: Schema<'MappingPreview'>['rows'][number]['values'] }

type TargetProps = {
  field: Schema<'Field'>
  draft: Draft
  columns: NamedColumn[]
  shown: Shown | undefined
  onChange: (draft: Draft) => void
}

const constant = '= constant'

/** A field with its columns and a preview. Columns can be dropped on it or selected. */
export function Target({ field, draft, columns, shown, onChange }: TargetProps) {
  const text = useText()
  const made = mappingOf(draft, field.name)
  // An optional field moves to the other list when it gets a fixed value, and must then still show its input.
  const [isOpen, setOpen] = useState(made?.constant === '')
  const [isOver, setOver] = useState(false)
  const choices = useChoices(field.name, columns, draft)
  const isSuggestible = made?.from !== undefined && ((shown?.faults ?? 0) > 0 || field.kind === 'text')
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onChange(addColumn(draft, field.name, event.dataTransfer.getData(dragged)))
  }
  const choose = (id: string) => {
    if (id !== constant) {
      onChange(addColumn(draft, field.name, id))
      return
    }
    setOpen(true)
    onChange(make(draft, field.name, { constant: '' }))
  }
  const isLacking = field.isRequired && !made
  return (
    <li
      className={css.target}
      data-over={isOver || undefined}
      data-lacking={isLacking || undefined}
      onDrop={drop}
      onDragLeave={() => setOver(false)}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(dragged)) {
          event.preventDefault()
          setOver(true)
        }
      }}
    >
      <div className={css.line}>
        <div className={css.fieldName}>
          <strong>{field.title}</strong>
          {field.isRequired && <span className={css.needed}>{text('columns.needed')}</span>}
        </div>
        <div className={css.sources}>
          {made?.from?.map((column) => (
            <span key={column} className={css.chip}>
              {column}
              <Button
                size="small"
                look="quiet"
                aria-label={text('columns.take', { column, field: field.title })}
                onPress={() => onChange(dropColumn(draft, field.name, column))}
              >
                <X aria-hidden />
              </Button>
            </span>
          ))}
          {made?.constant !== undefined && (
            <span className={css.chip}>
              = {made.constant || '…'}
              <Button
                size="small"
                look="quiet"
                aria-label={text('columns.take', { column: made.constant, field: field.title })}
                onPress={() => onChange(make(draft, field.name, null))}
              >
                <X aria-hidden />
              </Button>
            </span>
          )}
          {(!made || isOpen) && (
            <Select
              label={text('columns.of', { field: field.title })}
              labelHidden
              placeholder={text(made?.from ? 'columns.add' : 'columns.choose')}
              value={null}
              onChange={choose}
              choices={choices}
            />
          )}
          <Reason field={field} draft={draft} columns={columns} />
          <Unit field={field} draft={draft} columns={columns} onChange={onChange} />
          {isSuggestible && (
            <Suggestions
              steps={newSteps(suggestedSteps(field.kind, seenTexts(shown)), made)}
              onTake={(step) => onChange(addStep(draft, field.name, step))}
            />
          )}
        </div>
        <BeforeAfter field={field} shown={made && shown} most={isOpen ? 5 : 2} />
        {made ? (
          <Button
            size="small"
            look="quiet"
            aria-expanded={isOpen}
            aria-label={text('columns.change', { field: field.title })}
            onPress={() => setOpen(!isOpen)}
          >
            <ChevronDown aria-hidden className={css.turn} data-open={isOpen || undefined} />
          </Button>
        ) : (
          <span />
        )}
      </div>
      {made && isOpen && (
        <FieldMapping
          field={field}
          made={made}
          seen={textsOf(made, columns)}
          onChange={(changed) => onChange(make(draft, field.name, changed))}
        />
      )}
    </li>
  )
}

/** The options for a field: columns, most likely first, or a fixed value. Files can have hundreds of columns, so the list is recreated only when it differs. */
function useChoices(field: string, columns: NamedColumn[], draft: Draft): Choice[] {
  const text = useText()
  const [name, mark] = [text('columns.constant'), text('columns.used')]
  const taken = JSON.stringify(mappingOf(draft, field)?.from ?? [])
  const used = JSON.stringify(draft.fields?.flatMap(({ from }) => from ?? []) ?? [])
  return useMemo(() => {
    const [own, all] = [taken, used].map((names) => new Set(JSON.parse(names) as string[])) as [
      Set<string>,
      Set<string>,
    ]
    return [...choicesOf(field, columns, own, all, mark), { id: constant, name }]
  }, [field, columns, taken, used, name, mark])
}

/** Past answers come first, and unused columns before those that another field uses, which are marked. */
function choicesOf(
  field: string,
  columns: NamedColumn[],
  taken: Set<string>,
  used: Set<string>,
  mark: string,
): Choice[] {
  const score = (column: NamedColumn) =>
    column.pastAnswer?.targetField === field
      ? 2
      : (column.candidates.find((candidate) => candidate.field === field)?.score ?? 0)
  return columns
    .filter(({ name }) => !taken.has(name))
    .sort((a, b) => Number(used.has(a.name)) - Number(used.has(b.name)) || score(b) - score(a))
    .map(({ name, samples }) => ({
      id: name,
      name,
      about: [used.has(name) ? mark : '', ...samples.slice(0, 3)].filter(Boolean).join(' · '),
    }))
}

/** The texts of the first rows. */
const seenTexts = (shown: Shown | undefined): string[] => shown?.samples.map(({ cells }) => cells.join(' ')) ?? []

/** The suggestions that are not among the steps of the field yet. Dates have their own setting. */
const newSteps = (steps: Step[], { transforms = [] }: Made): Step[] =>
  steps.filter((step) => step.op !== 'date' && !transforms.some((each) => each.op === step.op && each.old === step.old))

/** Sample texts of a field; none for several columns, because their combined text is unknown. */
const textsOf = ({ from = [] }: Made, columns: NamedColumn[]): string[] =>
  from.length === 1 ? (columns.find(({ name }) => name === from[0])?.samples ?? []) : []

/** Why Loadbay suggested a column for a field, and the other fields that use it. */
function Reason({
  field: { name: field, kind, isMappable = false },
  draft,
  columns,
}: {
  field: Schema<'Field'>
  draft: Draft
  columns: NamedColumn[]
}) {
  const text = useText()
  const { percent } = useFormat()
  const mixedDates = useMixedDates()
  const column = columns.find(({ name }) => mappingOf(draft, field)?.from?.[0] === name)
  if (!column) return null
  // A column that a person chose, or a profile, needs no reason.
  const candidate = column.candidates.find((each) => each.field === field && each.reason === column.matchedBy)
  const mixed = (kind === 'date' || kind === 'timestamp') && mixedDates(column.dateOrder)
  const doubted =
    !isMappable &&
    column.warnings.includes('COLUMN_CONTENT') &&
    usesOf(draft, column.name).includes(field) &&
    !mappingOf(draft, field)?.transforms?.length
  return (
    <>
      {candidate && (
        <span className={css.reason}>
          {text(`columns.reason.${candidate.reason}` as MessageKey, {
            share: percent(candidate.score),
            kind: percent(column.kindShare ?? 0),
          })}
        </span>
      )}
      {doubted && (
        <span className={css.conflict}>
          <TriangleAlert aria-hidden />
          {text('columns.content')}
        </span>
      )}
      {mixed && (
        <span className={css.conflict}>
          <TriangleAlert aria-hidden />
          {mixed}
        </span>
      )}
    </>
  )
}

/** The unit that the header of a column names, if it is not the field's, and the step that converts the values. */
function Unit({ field, draft, columns, onChange }: Omit<TargetProps, 'shown'>) {
  const text = useText()
  const unit = unitConflict(draft, field.name, columns)
  if (!unit?.found) return null
  const { found, expected, convert } = unit
  return (
    <>
      <span className={css.conflict}>
        <TriangleAlert aria-hidden />
        {text('columns.unit.differs', { found, expected })}
      </span>
      {convert?.unit && (
        <Button size="small" onPress={() => onChange(convertFrom(draft, field.name, found))}>
          {text('columns.unit.convert', { found, expected })}
        </Button>
      )}
      <Button size="small" look="quiet" onPress={() => onChange(convertFrom(draft, field.name, expected))}>
        {text('columns.unit.same', { expected })}
      </Button>
    </>
  )
}

/** The samples that tell most: some that fail, then those that change, each once; else the first ones. A fixed value is the same in all rows. */
function telling(samples: Shown['samples'], most: number): Shown['samples'] {
  if (samples[0]?.cells.length === 0) return samples.slice(0, 1)
  const distinct = [...new Map(samples.map((sample) => [sample.cells.join(), sample])).values()]
  const failing = distinct.filter(({ fault }) => fault !== null)
  const fine = distinct.filter(({ fault }) => fault === null)
  const changed = fine.filter(({ cells, value }) => cells.join() !== value)
  const valid = changed.length > 0 ? changed : fine
  const failed = failing.slice(0, Math.max(Math.floor(most / 2), most - valid.length))
  return [...valid.slice(0, most - failed.length), ...failed]
}

/** The first cells before and after the mapping. A fixed value is the same in all rows. Unknown values are no error here: they are matched in the next step. */
function BeforeAfter({ field, shown, most }: { field: Schema<'Field'>; shown: Shown | undefined; most: number }) {
  const text = useText()
  if (!shown) return <div className={css.becomes} />
  if (field.isMappable)
    return (
      <div className={css.becomes}>
        <p>
          {shown.samples
            .slice(0, 3)
            .map((sample) => sample.text || '–')
            .join(' · ')}
        </p>
        <p className={css.later}>{text('columns.later')}</p>
      </div>
    )
  return (
    <div className={css.becomes}>
      {telling(shown.samples, most).map(({ cells, value, fault }, row) => (
        <p key={row} data-fault={fault !== null || undefined} title={fault?.message}>
          {cells.length > 0 && cells.join() !== value && (
            <>
              <span className={css.before}>{cells.join(' + ') || '–'}</span>
              <span aria-hidden> → </span>
              <span className="visually-hidden">{text('columns.becomes')}</span>
            </>
          )}
          <span className={css.after}>{fault ? fault.message : (value ?? '–')}</span>
        </p>
      ))}
      {shown.faults > 0 && (
        <span className={css.conflict}>
          <TriangleAlert aria-hidden />
          {text('columns.faults', { count: shown.faults })}
        </span>
      )}
    </div>
  )
}
