import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schema } from '@/api/client'
import { meQuery, typesQuery } from '@/api/imports'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { Context } from '@/screens/import-new/Context'
import { Bar, Select } from '@/ui'
import css from './Drop.module.css'

/** Where to store files of a type, and the options in their metadata. */
export function HowTo() {
  const types = useQuery(typesQuery)
  const me = useQuery(meQuery)
  return (
    <Loaded query={types} lines={8}>
      {(known) => (
        <Loaded query={me} lines={8}>
          {({ organisationId }) => <Folder types={known} organisationId={organisationId} />}
        </Loaded>
      )}
    </Loaded>
  )
}

function Folder({ types, organisationId }: { types: Schema<'ImportType'>[]; organisationId: number }) {
  const text = useText()
  const [name, setName] = useState<string | null>(null)
  const [context, setContext] = useState<string | null>(null)
  const type = types.find((each) => each.name === name) ?? types[0]
  if (!type) return null
  const folder = `drop/${organisationId}/${type.name}/${type.context ? (context ?? '{…}') : '-'}/`
  return (
    <div className={css.how}>
      <p>{text('drop.how.about')}</p>
      <Bar fields>
        <Select
          label={text('drop.type')}
          value={type.name}
          onChange={(id) => {
            setName(id)
            setContext(null)
          }}
          choices={types.map((each) => ({ id: each.name, name: each.title }))}
        />
        {type.context && <Context key={type.name} type={type} value={context} onChange={setContext} />}
      </Bar>
      <pre tabIndex={0} role="region" aria-label={text('drop.folder')}>
        {folder}members.csv{'\n'}
        {folder}members.csv.options.json {'{"mode": "upsert"}'}
      </pre>
      <ul>
        <li>{text('drop.how.options')}</li>
        <li>{text('drop.how.profile')}</li>
        <li>{text('drop.how.results')}</li>
      </ul>
    </div>
  )
}
