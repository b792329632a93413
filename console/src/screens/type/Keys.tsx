import { useText } from '@/i18n/messages'
import { Bar, Button, Stack } from '@/ui'
import { split, type Key } from './declaration'
import { Entry } from './Entry'
import { faultAt, type FormProps } from './parts'
import css from './Type.module.css'

/** The keys by which rows are found, in their order. */
export function Keys({ declaration: { keys, fields }, faults, isReadOnly, onEdit }: FormProps) {
  const text = useText()
  const entry = { isReadOnly, maxLength: 2_000 }
  const set = (place: number, change: Partial<Key>) => {
    for (const [member, value] of Object.entries(change)) onEdit(['keys', place, member], value)
  }
  const add = () =>
    onEdit(['keys'], [...keys, { name: `key${keys.length + 1}`, fields: [fields[0]?.name ?? ''], index: 'none' }])
  return (
    <Stack>
      {keys.length === 0 && <p>{text('type.keys.none')}</p>}
      {keys.map((key, place) => (
        <div key={place} className={css.item}>
          <Bar fields>
            <Entry
              {...entry}
              label={text('type.key.fields')}
              hint={text('type.key.fields.hint')}
              value={key.fields.join(', ')}
              error={faultAt(faults, `keys[${place}].fields`)}
              onEdit={(value) => set(place, { fields: split(value) })}
            />
            <Entry
              {...entry}
              label={text('type.key.index')}
              hint={text('type.key.index.hint')}
              value={key.index}
              error={
                faultAt(faults, `keys[${place}].index`) ?? faults.find(({ path }) => path === `keys[${place}]`)?.message
              }
              onEdit={(value) => set(place, { index: value.trim() })}
            />
            <Entry
              {...entry}
              label={text('type.key.name')}
              value={key.name}
              error={faultAt(faults, `keys[${place}].name`)}
              onEdit={(value) => set(place, { name: value.trim() })}
            />
            {!isReadOnly && (
              <Button
                size="small"
                look="quiet"
                onPress={() =>
                  onEdit(keys.length === 1 ? ['keys'] : ['keys', place], keys.length === 1 ? [] : undefined)
                }
                aria-label={text('type.key.remove.label', { name: key.name })}
              >
                {text('type.remove')}
              </Button>
            )}
          </Bar>
        </div>
      ))}
      {!isReadOnly && (
        <Bar>
          <Button size="small" onPress={add}>
            {text('type.key.add')}
          </Button>
        </Bar>
      )}
    </Stack>
  )
}
