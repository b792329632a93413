import type { Schema } from '@/api/client'
import { useText } from '@/i18n/messages'
import { Bar, Button, Check, Stack } from '@/ui'
import css from './NewExport.module.css'

type FieldsProps = { fields: Schema<'Field'>[]; chosen: string[]; onChosen: (columns: string[]) => void }

/** Which columns the file has, in the order of the type. */
export function Fields({ fields, chosen, onChosen }: FieldsProps) {
  const text = useText()
  const keep = (wanted: (column: string) => boolean) => onChosen(fields.map(({ column }) => column).filter(wanted))
  return (
    <Stack>
      <div className={css.columns} role="group" aria-label={text('export.columns')}>
        {fields.map(({ column, title }) => (
          <Check
            key={column}
            isSelected={chosen.includes(column)}
            onChange={(on) => keep((each) => (each === column ? on : chosen.includes(each)))}
          >
            {title}
          </Check>
        ))}
      </div>
      <Bar>
        <Button size="small" look="quiet" onPress={() => keep(() => true)}>
          {text('export.columns.all')}
        </Button>
        <Button size="small" look="quiet" onPress={() => onChosen([])}>
          {text('export.columns.none')}
        </Button>
        {chosen.length === 0 && <span className={css.fault}>{text('export.columns.missing')}</span>}
      </Bar>
    </Stack>
  )
}
