import { useQuery } from '@tanstack/react-query'
import { ShieldX } from 'lucide-react'
import { meQuery } from '@/api/imports'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { ErrorState, PageHeader, Stack } from '@/ui'
import { Imports } from './Imports'
import { Organisations } from './Organisations'
import { Overview } from './Overview'
import { Queues } from './Queues'
import { Stranded } from './Stranded'

/** What whoever operates the installation sees of all organisations, and does about what stands still. */
export function Component() {
  const text = useText()
  const me = useQuery(meQuery)
  return (
    <>
      <PageHeader title={text('operator.title')} about={text('operator.about')} />
      <Loaded query={me}>
        {({ scopes }) => scopes.includes('admin')
          ? <Stack><Overview /><Imports /><Stranded /><Queues /><Organisations /></Stack>
          : <ErrorState icon={<ShieldX />} title={text('operator.refused')}>{text('operator.refused.about')}</ErrorState>}
      </Loaded>
    </>
  )
}
