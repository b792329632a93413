import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearchParams } from 'react-router'
import { draftQuery } from '@/api/declarations'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { BackToTypes, Permitted } from '@/screens/types/Permitted'
import { PageHeader } from '@/ui'
import { Editor } from './Editor'

/** The draft of a type for the table in the address. */
export function Component() {
  return <Permitted needed="types:write">{() => <Draft />}</Permitted>
}

function Draft() {
  const text = useText()
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const table = query.get('table') ?? ''
  return (
    <>
      <PageHeader back={<BackToTypes />} title={text('type.new', { table })} about={text('type.new.about')} />
      <Loaded query={useQuery(draftQuery(table))}>
        {(draft) => (
          <Editor
            key={table}
            draft={draft}
            source={draft.yaml}
            version={null}
            mayWrite
            onPublished={({ name }) => void navigate(`/settings/types/${name}`, { replace: true })}
          />
        )}
      </Loaded>
    </>
  )
}
