import { useState } from 'react'
import { useChangeSettings, type Settings } from '@/api/organisation'
import { ApiError } from '@/api/problem'
import { follow } from '@/app/follow'
import { useText } from '@/i18n/messages'
import { ImportOptions } from '@/import-options/ImportOptions'
import { changedOptions, optionsOf } from '@/import-options/options'
import { Bar, Button, Field, notices, Select, Stack } from '@/ui'
import { choices, guards, toForm, toPatch, typed, type Choice } from './form'

const open = 'open'

/** The form of the settings. Empty ones use Loadbay's default. */
export function Preferences({ settings }: { settings: Settings }) {
  const text = useText()
  const [form, setForm] = useState(() => toForm(settings))
  const change = useChangeSettings()
  const before = optionsOf(settings)
  const [options, setOptions] = useState(before)
  const patch = { ...toPatch(form, settings), ...changedOptions(options, before) }
  const faults = new Map(
    change.error instanceof ApiError ? change.error.fields.map(({ field, message }) => [field, message]) : [],
  )
  const keep = () => follow(change.mutateAsync(patch), () => notices.add({ title: text('settings.kept') }))
  return (
    <Stack>
      <Bar fields>
        {(Object.keys(choices) as Choice[]).map((name) => (
          <Select
            key={name}
            label={text(`settings.${name}`)}
            value={form[name] || open}
            onChange={(id) => setForm({ ...form, [name]: id === open ? '' : id })}
            choices={[
              { id: open, name: text('settings.open') },
              ...choices[name].map((id) => ({ id, name: text(`settings.${name}.${id}` as 'settings.mode.insert') })),
            ]}
          />
        ))}
      </Bar>
      <ImportOptions stated={options} onChange={setOptions} />
      <Bar fields>
        {typed.map((name) => (
          <Field
            key={name}
            label={text(`settings.${name}`)}
            hint={
              name === 'mailDomains' && settings.unconfirmedMailDomains.length > 0
                ? text('settings.mailDomains.unconfirmed', { domains: settings.unconfirmedMailDomains.join(', ') })
                : text(`settings.${name}.hint`)
            }
            value={form[name]}
            error={faults.get(name)}
            maxLength={500}
            onChange={(value) => setForm({ ...form, [name]: name === 'undoDays' ? value.replace(/\D/g, '') : value })}
          />
        ))}
      </Bar>
      <Bar fields>
        {guards.map((name) => (
          <Field
            key={name}
            label={text(`settings.${name}`)}
            hint={text(`settings.${name}.hint`)}
            value={form[name]}
            error={faults.get(name) ?? faults.get('guards')}
            maxLength={500}
            onChange={(value) => setForm({ ...form, [name]: value })}
          />
        ))}
      </Bar>
      <Bar>
        <Button look="primary" isDisabled={Object.keys(patch).length === 0} isPending={change.isPending} onPress={keep}>
          {text('settings.keep')}
        </Button>
      </Bar>
    </Stack>
  )
}
