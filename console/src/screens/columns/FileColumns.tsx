import { EyeOff, GripVertical } from 'lucide-react'
import { useState } from 'react'
import { useFormat } from '@/i18n/format'
import { useText, type MessageKey } from '@/i18n/messages'
import { Button, Check, Field } from '@/ui'
import css from './Columns.module.css'
import { ignore, usesOf, type Draft, type NamedColumn } from './draft'

/** The data type of a dragged column. */
export const dragged = 'application/x-loadbay-column'

/** The number of columns that can be listed without a search. */
const few = 12

type FileColumnsProps = {
  columns: NamedColumn[]
  draft: Draft
  titleOf: (field: string) => string
  onChange: (draft: Draft) => void
}

/** The columns of the file with samples and their fields. Each can be dragged to a field. */
export function FileColumns({ columns, draft, titleOf, onChange }: FileColumnsProps) {
  const text = useText()
  const { percent } = useFormat()
  const [search, setSearch] = useState('')
  const [isNarrow, setNarrow] = useState(false)
  const kindText = ({ kind, kindShare }: NamedColumn) => {
    const name = text(`columns.kind.${kind!}` as MessageKey)
    return kindShare !== null && kindShare < 1
      ? text('columns.kind.most', { kind: name, share: percent(Math.floor(100 * kindShare) / 100) })
      : name
  }
  const words = search.trim().toLowerCase()
  const isOpen = ({ name }: NamedColumn) => usesOf(draft, name).length === 0 && !draft.ignore?.includes(name)
  const shown = columns.filter((column) => column.name.toLowerCase().includes(words) && (!isNarrow || isOpen(column)))
  return (
    <section className={css.file} aria-labelledby="columns-file">
      <h3 id="columns-file">{text('columns.file')}</h3>
      {columns.length > few && (
        <div className={css.findColumns}>
          <Field
            label={text('columns.find')}
            labelHidden
            placeholder={text('columns.find')}
            type="search"
            value={search}
            onChange={setSearch}
            maxLength={300}
          />
          <Check isSelected={isNarrow} onChange={setNarrow}>
            {text('columns.unmatched', { count: columns.filter(isOpen).length })}
          </Check>
        </div>
      )}
      <ul className={css.cards}>
        {shown.map((column) => {
          const uses = usesOf(draft, column.name)
          const isIgnored = draft.ignore?.includes(column.name) ?? false
          return (
            <li
              key={column.name}
              className={css.card}
              data-used={uses.length > 0 || undefined}
              data-ignored={isIgnored || undefined}
              draggable
              onDragStart={(event) => event.dataTransfer.setData(dragged, column.name)}
            >
              <GripVertical aria-hidden className={css.grip} />
              <div className={css.cardHead}>
                <strong>{column.name}</strong>
                {uses.length === 0 && !isIgnored && (
                  <Button
                    size="small"
                    look="quiet"
                    aria-label={text('columns.leaveOut', { column: column.name })}
                    onPress={() => onChange(ignore(draft, column.name, true))}
                  >
                    <EyeOff aria-hidden />
                  </Button>
                )}
              </div>
              <p className={css.cells}>{column.samples.slice(0, 3).join(' · ') || '–'}</p>
              <p className={css.like}>
                {[
                  column.kind && kindText(column),
                  column.fillRate !== null && text('columns.filled', { share: percent(column.fillRate) }),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
              {column.pastAnswer && uses.length === 0 && !isIgnored && (
                <p className={css.like}>
                  {column.pastAnswer.targetField
                    ? text('columns.past.field', {
                        count: column.pastAnswer.imports.length,
                        field: titleOf(column.pastAnswer.targetField),
                      })
                    : text('columns.past.ignored', { count: column.pastAnswer.imports.length })}
                </p>
              )}
              {uses.length > 0 && <p className={css.uses}>→ {uses.map(titleOf).join(', ')}</p>}
              {isIgnored && (
                <p className={css.like}>
                  {text('import.ignored')}{' '}
                  <Button size="small" look="quiet" onPress={() => onChange(ignore(draft, column.name, false))}>
                    {text('columns.takeBack')}
                  </Button>
                </p>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
