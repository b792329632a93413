import { useQuery } from '@tanstack/react-query'
import { ShieldX } from 'lucide-react'
import { meQuery } from '@/api/imports'
import { overviewQuery } from '@/api/operator'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { ErrorState, PageHeader } from '@/ui'
import { Erasures } from './Erasures'
import { Exports } from './Exports'
import { Imports } from './Imports'
import css from './Operator.module.css'
import { Organisations } from './Organisations'
import { Overview } from './Overview'
import { Queues } from './Queues'

/** What whoever operates the installation sees of all organisations, and does about what stands still. */
export function Component() {
  const text = useText()
  const me = useQuery(meQuery)
  return (
    <>
      <PageHeader title={text('operator.title')} about={text('operator.about')} />
      <Loaded query={me}>
        {({ scopes }) => scopes.includes('admin')
          ? <Parts />
          : <ErrorState icon={<ShieldX />} title={text('operator.refused')}>{text('operator.refused.about')}</ErrorState>}
      </Loaded>
    </>
  )
}

/** The parts of the screen, which appear from the top, so that what has come stays where it is. Exports and erasures are a part only where the overview says that some stand still. */
function Parts() {
  const { data: now } = useQuery(overviewQuery)
  return (
    <div className={css.parts}>
      <Overview />
      <Imports />
      {now && now.stuckExports > 0 && <Exports />}
      {now && now.openErasures > 0 && <Erasures />}
      <Queues />
      <Organisations />
    </div>
  )
}
