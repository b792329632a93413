import { useState } from 'react'
import { useCreateKey, type ApiKey } from '@/api/keys'
import { ApiError } from '@/api/problem'
import { useText } from '@/i18n/messages'
import { Bar, Button, Check, Dialog, Field, Select, Stack } from '@/ui'
import css from './Settings.module.css'
import { useScopeName } from './useScopeName'

/** Lifetimes of a key in days, up to the API's maximum. */
const lifetimes = ['30', '90', '180', '366']

const blank = { name: '', scopes: [] as string[], days: '90' }

/** The dialog that creates a key with some of the person's own scopes. */
export function NewKey({ scopes, onCreated }: { scopes: string[]; onCreated: (key: ApiKey) => void }) {
  const text = useText()
  const scopeName = useScopeName()
  const [asks, setAsks] = useState(false)
  const [form, setForm] = useState(blank)
  const create = useCreateKey()
  const fault = (of: string) =>
    create.error instanceof ApiError ? create.error.fields.find(({ field }) => field === of)?.message : undefined
  const close = () => {
    setAsks(false)
    setForm(blank)
    create.reset()
  }
  const submit = () =>
    create.mutate(
      { name: form.name.trim(), scopes: form.scopes, expiresInDays: Number(form.days) },
      {
        onSuccess: (key) => {
          close()
          onCreated(key)
        },
      },
    )
  const toggle = (scope: string, selected: boolean) =>
    setForm({ ...form, scopes: form.scopes.filter((each) => each !== scope).concat(selected ? [scope] : []) })
  return (
    <Bar>
      <Button onPress={() => setAsks(true)}>{text('keys.new')}</Button>
      <Dialog
        title={text('keys.new')}
        isOpen={asks}
        onClose={close}
        actions={
          <>
            <Button onPress={close}>{text('keys.cancel')}</Button>
            <Button
              look="primary"
              isDisabled={!form.name.trim() || form.scopes.length === 0}
              isPending={create.isPending}
              onPress={submit}
            >
              {text('keys.create')}
            </Button>
          </>
        }
      >
        <Stack>
          <Field
            autoFocus
            label={text('keys.name')}
            hint={text('keys.name.hint')}
            maxLength={100}
            value={form.name}
            error={fault('name') ?? (fault('scopes') ? undefined : create.error?.message)}
            onChange={(name) => setForm({ ...form, name })}
          />
          <fieldset className={css.scopes}>
            <legend>{text('keys.scopes')}</legend>
            {scopes
              .filter((scope) => scope !== 'admin')
              .map((scope) => (
                <Check
                  key={scope}
                  isSelected={form.scopes.includes(scope)}
                  onChange={(selected) => toggle(scope, selected)}
                >
                  {scopeName(scope)}
                </Check>
              ))}
            {fault('scopes') && <p role="alert">{fault('scopes')}</p>}
          </fieldset>
          <Select
            label={text('keys.lifetime')}
            value={form.days}
            onChange={(days) => setForm({ ...form, days })}
            choices={lifetimes.map((id) => ({ id, name: text('keys.days', { count: Number(id) }) }))}
          />
        </Stack>
      </Dialog>
    </Bar>
  )
}
