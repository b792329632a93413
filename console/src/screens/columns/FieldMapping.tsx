import { Trash2 } from 'lucide-react'
import type { Schema } from '@/api/client'
import { useText } from '@/i18n/messages'
import { Button, Select } from '@/ui'
import css from './Columns.module.css'
import type { Made } from './draft'
import { PausedField } from './PausedField'
import { StepEditor } from './StepEditor'
import { kinds, newStep } from './steps'

const automatic = 'automatic'
const dateOrders = ['dmy', 'mdy', 'ymd'] as const
const decimalMarks = ['.', ','] as const

type FieldMappingProps = {
  field: Schema<'Field'>
  made: Made
  /** Sample texts of the field. */ seen: string[]
  onChange: (made: Made) => void
}

/** Edits the mapping of a field: separator, fixed value, date or number format, and transformations. */
export function FieldMapping({ field, made, seen, onChange }: FieldMappingProps) {
  const text = useText()
  const steps = made.transforms ?? []
  const change = (transforms: Made['transforms']) => onChange({ ...made, transforms })
  return (
    <div className={css.making}>
      {made.constant !== undefined && (
        <PausedField
          label={text('columns.constant.value')}
          value={made.constant}
          onChange={(constant) => onChange({ ...made, constant })}
        />
      )}
      {(made.from?.length ?? 0) > 1 && (
        <PausedField
          label={text('columns.separator')}
          value={made.separator ?? ' '}
          onChange={(separator) => onChange({ ...made, separator })}
        />
      )}
      {(field.kind === 'date' || field.kind === 'timestamp') && (
        <Select
          label={text('columns.dateOrder')}
          value={made.dateOrder ?? automatic}
          choices={[
            { id: automatic, name: text('columns.byCells') },
            ...dateOrders.map((id) => ({ id, name: text(`columns.dateOrder.${id}`) })),
          ]}
          onChange={(id) => {
            const { dateOrder: _, ...rest } = made
            onChange(id === automatic ? rest : { ...rest, dateOrder: id as (typeof dateOrders)[number] })
          }}
        />
      )}
      {field.kind === 'decimal' && (
        <Select
          label={text('source.decimalMark')}
          value={made.decimalMark ?? automatic}
          choices={[
            { id: automatic, name: text('columns.byCells') },
            ...decimalMarks.map((id) => ({ id, name: `1${id}5` })),
          ]}
          onChange={(id) => {
            const { decimalMark: _, ...rest } = made
            onChange(id === automatic ? rest : { ...rest, decimalMark: id as (typeof decimalMarks)[number] })
          }}
        />
      )}
      {made.from && (
        <div className={css.steps}>
          {steps.map((step, place) => (
            <div key={place} className={css.step}>
              <StepEditor
                step={step}
                seen={seen}
                onChange={(changed) => change(steps.map((each, at) => (at === place ? changed : each)))}
              />
              <Button
                size="small"
                look="quiet"
                aria-label={text('columns.step.drop')}
                onPress={() => change(steps.filter((_, at) => at !== place))}
              >
                <Trash2 aria-hidden />
              </Button>
            </div>
          ))}
          <Select
            label={text('columns.step.add')}
            labelHidden
            placeholder={text('columns.step.add')}
            value={null}
            choices={kinds.map((id) => ({ id, name: text(`columns.step.${id}`) }))}
            onChange={(id) => change([...steps, newStep(id, seen)])}
          />
        </div>
      )}
    </div>
  )
}
