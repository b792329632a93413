import { languages, type Language } from '@/i18n/languages'
import { useText } from '@/i18n/messages'
import { Bar, Button, Check, Select, Stack } from '@/ui'
import { split, textOf, type Field } from './declaration'
import { Entry } from './Entry'
import { faultAt, orNone, type FormProps } from './parts'
import css from './Type.module.css'

const kinds = [
  'text',
  'email',
  'enum',
  'uuid',
  'integer',
  'decimal',
  'boolean',
  'date',
  'timestamp',
  'json',
  'textList',
] as const
const flags = ['required', 'identifying', 'personal'] as const
const texts = ['default', 'unit', 'min', 'max', 'pattern', 'patternHint', 'separator', 'zone'] as const

type FieldFormProps = FormProps & { field: Field; place: number; onRename: (name: string) => void }

/** The settings of a field. Empty ones follow from the column. */
export function FieldForm({ field, place, declaration, faults, isReadOnly, onEdit, onRename }: FieldFormProps) {
  const text = useText()
  const set = (member: string, value: unknown) => onEdit(['fields', place, member], value === '' ? undefined : value)
  const at = (member: string) => ({
    isReadOnly,
    maxLength: 1_000,
    error: faultAt(faults, `fields[${place}].${member}`),
  })
  const titles = (typeof field.titles === 'object' ? field.titles : {}) as Record<string, unknown>
  const { reference } = field
  const aliases = Array.isArray(field.aliases) ? field.aliases.map(textOf) : []
  return (
    <div className={css.item}>
      <Stack>
        <Bar fields>
          <Entry
            {...at('title')}
            label={text('type.field.title')}
            value={textOf(field.title)}
            onEdit={(value) => set('title', value.trim())}
          />
          <Entry
            {...at('aliases')}
            label={text('type.field.aliases')}
            hint={text('type.field.aliases.hint')}
            value={aliases.join('; ')}
            onEdit={(value) => set('aliases', orNone(split(value, ';')))}
          />
          <Entry
            {...at('name')}
            label={text('type.field.name')}
            hint={text('type.name.hint')}
            value={field.name}
            onEdit={(value) => {
              onEdit(['fields', place, 'name'], value.trim())
              onRename(value.trim())
            }}
          />
          <Entry
            {...at('column')}
            label={text('type.field.column')}
            value={field.column}
            onEdit={(value) => onEdit(['fields', place, 'column'], value.trim())}
          />
          {!reference && (
            <Select
              label={text('type.field.kind')}
              isDisabled={isReadOnly}
              value={textOf(field.kind) || '-'}
              onChange={(id) => set('kind', id === '-' ? undefined : id)}
              choices={[
                { id: '-', name: text('type.field.kind.column') },
                ...kinds.map((id) => ({ id, name: text(`type.kind.${id}`) })),
              ]}
            />
          )}
          <Select
            label={text('type.field.empty')}
            isDisabled={isReadOnly}
            value={textOf(field.empty) || '-'}
            onChange={(id) => set('empty', id === '-' ? undefined : id)}
            choices={[
              { id: '-', name: text('settings.open') },
              { id: 'keep', name: text('type.field.empty.keep') },
              { id: 'null', name: text('type.field.empty.null') },
            ]}
          />
        </Bar>
        <Bar>
          {flags.map((flag) => (
            <Check
              key={flag}
              isSelected={field[flag] === true}
              isDisabled={isReadOnly}
              onChange={(isOn) => set(flag, isOn || undefined)}
            >
              {text(`type.field.${flag}`)}
            </Check>
          ))}
        </Bar>
        {reference && (
          <Bar fields>
            <Entry
              {...at('reference.by')}
              label={text('type.field.by', { table: textOf(reference.table) })}
              hint={text('type.field.by.hint')}
              value={(Array.isArray(reference.by) ? reference.by : [])
                .map((key) => (Array.isArray(key) ? key.map(textOf).join(', ') : textOf(key)))
                .join('; ')}
              onEdit={(value) =>
                onEdit(
                  ['fields', place, 'reference', 'by'],
                  split(value, ';').map((key) => split(key)),
                )
              }
            />
            <Entry
              {...at('reference.within')}
              label={text('type.field.within')}
              value={textOf(reference.within)}
              onEdit={(value) => onEdit(['fields', place, 'reference', 'within'], value.trim() || undefined)}
            />
          </Bar>
        )}
        <Bar fields>
          {(Object.keys(languages) as Language[])
            .filter((language) => language !== 'en')
            .map((language) => (
              <Entry
                key={language}
                {...at(`titles.${language}`)}
                label={text('type.field.titles', { language: languages[language].name })}
                value={textOf(titles[language])}
                onEdit={(value) => set('titles', without({ ...titles, [language]: value.trim() }))}
              />
            ))}
          {texts.map((member) => (
            <Entry
              key={member}
              {...at(member)}
              label={text(`type.field.${member}`)}
              value={textOf(field[member])}
              onEdit={(value) => set(member, value)}
            />
          ))}
          <Entry
            {...at('maxLength')}
            label={text('type.field.maxLength')}
            value={textOf(field.maxLength)}
            onEdit={(value) => set('maxLength', value.trim() && (Number(value) || value))}
          />
          <Select
            label={text('type.field.rounding')}
            isDisabled={isReadOnly}
            value={textOf(field.rounding) || 'refuse'}
            onChange={(id) => set('rounding', id === 'refuse' ? undefined : id)}
            choices={(['refuse', 'warn', 'halfUp'] as const).map((id) => ({ id, name: text(`type.rounding.${id}`) }))}
          />
        </Bar>
        {!isReadOnly && declaration.fields.length > 1 && (
          <Bar>
            <Button look="danger" size="small" onPress={() => onEdit(['fields', place], undefined)}>
              {text('type.field.remove')}
            </Button>
          </Bar>
        )}
      </Stack>
    </div>
  )
}

/** Titles without empty ones; undefined if none is left. */
function without(titles: Record<string, unknown>): Record<string, unknown> | undefined {
  const rest = Object.entries(titles).filter(([, title]) => title !== '')
  return rest.length > 0 ? Object.fromEntries(rest) : undefined
}
