import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { useText } from '@/i18n/messages'
import { Badge, Bar, Button, Stack } from '@/ui'
import { pathIn, textOf, type Field } from './declaration'
import { Entry } from './Entry'
import { FieldForm } from './FieldForm'
import { faultAt, Notes, type FormProps } from './parts'
import css from './Type.module.css'

const marks = ['required', 'identifying', 'personal'] as const

/** The fields, each of which opens to be edited. */
export function Fields(props: FormProps) {
  const { declaration, isReadOnly, onEdit } = props
  const text = useText()
  const [open, setOpen] = useState<string | null>(null)
  const [column, setColumn] = useState('')
  const add = () => {
    const name = nameOf(column)
    onEdit(['fields'], [...declaration.fields, { name, column }])
    setColumn('')
    setOpen(name)
  }
  return (
    <Stack>
      <Notes {...props} part="fields" />
      <ul className={css.fields}>
        {declaration.fields.map((field, place) => (
          <Line
            key={place}
            {...props}
            field={field}
            place={place}
            isOpen={open === field.name}
            onOpen={(isOpen) => setOpen(isOpen ? field.name : null)}
            onRename={setOpen}
          />
        ))}
      </ul>
      {!isReadOnly && (
        <Bar fields>
          <Entry
            label={text('type.field.new')}
            hint={text('type.field.new.hint')}
            value={column}
            isReadOnly={false}
            maxLength={63}
            onEdit={(value) => setColumn(value.trim())}
          />
          <Button isDisabled={!column} onPress={add}>
            {text('type.field.add')}
          </Button>
        </Bar>
      )}
    </Stack>
  )
}

type LineProps = FormProps & {
  field: Field
  place: number
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  onRename: (name: string) => void
}

function Line({ field, place, isOpen, onOpen, ...props }: LineProps) {
  const text = useText()
  const title = textOf(field.title) || field.column
  const fault = faultAt(props.faults, `fields[${place}]`)
  const guesses = props.guesses.filter((guess) => pathIn(props.declaration, guess).startsWith(`fields[${place}]`))
  return (
    <li>
      <div className={css.line}>
        <span className={css.field}>
          <strong>{title}</strong>
          <code>{field.column}</code>
        </span>
        <span className={css.marks}>
          {marks.map((mark) => field[mark] === true && <Badge key={mark}>{text(`type.field.${mark}`)}</Badge>)}
          {field.reference && <Badge>{text('type.field.reference')}</Badge>}
          {field.computed !== undefined && <Badge>{text('type.field.computed')}</Badge>}
          {fault && <Badge tone="bad">{text('type.finding.error')}</Badge>}
          {guesses.length > 0 && <Badge tone="wait">{text('type.finding.mustDecide')}</Badge>}
        </span>
        <Button
          size="small"
          look="quiet"
          aria-expanded={isOpen}
          aria-label={text(props.isReadOnly ? 'type.field.show' : 'type.field.edit', { title })}
          onPress={() => onOpen(!isOpen)}
        >
          <ChevronDown aria-hidden />
        </Button>
      </div>
      {fault && <p className={css.refused}>{fault}</p>}
      {guesses.map(({ message }) => (
        <p key={message} className={css.guess}>
          {message}
        </p>
      ))}
      {isOpen && <FieldForm {...props} field={field} place={place} />}
    </li>
  )
}

/** The name of a field for a column, such as UNIT_PRICE for unitPrice. */
export const nameOf = (column: string): string =>
  column
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^[^A-Z]+|_+$/g, '')
    .slice(0, 63) || 'FIELD'
