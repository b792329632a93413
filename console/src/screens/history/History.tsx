import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Schema } from '@/api/client'
import { typesQuery } from '@/api/imports'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { Bar, Button, Field, PageHeader, Panel, Select, Stack } from '@/ui'
import { Entity } from './Entity'

/** The imports that set the values of an entity: found by its id, or by a value that only it has. The search is in the address. */
export function Component() {
  const text = useText()
  const [query, setQuery] = useSearchParams()
  const asked = { type: query.get('type') ?? '', by: query.get('by') ?? '', key: query.get('key') ?? '' }
  return (
    <>
      <PageHeader title={text('history.title')} about={text('history.about')} />
      <Stack>
        <Loaded query={useQuery(typesQuery)} lines={2}>
          {(types) => (
            <>
              <Panel>
                <Search key={query.toString()} types={types} asked={asked} onAsk={(next) => setQuery(next)} />
              </Panel>
              {asked.type && asked.key && (
                <Entity key={query.toString()} type={asked.type} entity={asked.key} by={asked.by} />
              )}
            </>
          )}
        </Loaded>
      </Stack>
    </>
  )
}

type Asked = { type: string; by: string; key: string }

const byId = 'id'

function Search({
  types,
  asked,
  onAsk,
}: {
  types: Schema<'ImportType'>[]
  asked: Asked
  onAsk: (asked: Record<string, string>) => void
}) {
  const text = useText()
  const [form, setForm] = useState(asked)
  const type = types.find(({ name }) => name === form.type)
  const fields = type?.fields.filter(({ kind }) => kind !== 'list' && kind !== 'boolean') ?? []
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (form.type && form.key.trim())
          onAsk({ type: form.type, ...(form.by && { by: form.by }), key: form.key.trim() })
      }}
    >
      <Bar fields>
        <Select
          label={text('history.type')}
          placeholder={text('history.type.choose')}
          value={form.type || null}
          onChange={(name) => setForm({ type: name, by: '', key: '' })}
          choices={types.map(({ name, title }) => ({ id: name, name: title }))}
        />
        <Select
          label={text('history.by')}
          value={form.by || byId}
          onChange={(id) => setForm({ ...form, by: id === byId ? '' : id })}
          choices={[
            { id: byId, name: text('history.id') },
            ...fields.map(({ name, title }) => ({ id: name, name: title })),
          ]}
        />
        <Field
          label={text('history.key')}
          maxLength={255}
          value={form.key}
          onChange={(key) => setForm({ ...form, key })}
        />
        <Button type="submit" look="primary" isDisabled={!form.type || !form.key.trim()}>
          {text('history.find')}
        </Button>
      </Bar>
    </form>
  )
}
