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

/** The operator's view of all organisations and stuck work. */
export function Component() {
  const text = useText()
  const me = useQuery(meQuery)
  return (
    <>
      <PageHeader title={text('operator.title')} about={text('operator.about')} />
      <Loaded query={me}>
        {({ scopes }) =>
          scopes.includes('admin') ? (
            <Parts />
          ) : (
            <ErrorState icon={<ShieldX />} title={text('operator.refused')}>
              {text('operator.refused.about')}
            </ErrorState>
          )
        }
      </Loaded>
    </>
  )
}

/** The sections of the screen, revealed from top to bottom so that loaded sections do not move. Exports and erasures are shown only if the overview reports stuck ones. */
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
