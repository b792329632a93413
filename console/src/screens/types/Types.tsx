import { useQuery } from '@tanstack/react-query'
import { ChevronLeft } from 'lucide-react'
import { Link } from 'react-router'
import { declaredTypesQuery } from '@/api/declarations'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { PageHeader, Panel, Stack } from '@/ui'
import { DeclaredTypes } from './DeclaredTypes'
import { Permitted } from './Permitted'
import { Tables } from './Tables'

/** The types that the organisation has declared, and the tables that it can declare types for. */
export function Component() {
  return <Permitted>{(mayWrite) => <Whole mayWrite={mayWrite} />}</Permitted>
}

function Whole({ mayWrite }: { mayWrite: boolean }) {
  const text = useText()
  return (
    <>
      <PageHeader
        back={
          <Link to="/settings">
            <ChevronLeft aria-hidden />
            {text('settings.title')}
          </Link>
        }
        title={text('types.title')}
        about={text('types.about')}
      />
      <Loaded query={useQuery(declaredTypesQuery)}>
        {(types) => (
          <Stack>
            <Panel title={text('types.declared')}>
              <DeclaredTypes types={types} />
            </Panel>
            {mayWrite && (
              <Panel title={text('types.tables')}>
                <Tables types={types} />
              </Panel>
            )}
          </Stack>
        )}
      </Loaded>
    </>
  )
}
