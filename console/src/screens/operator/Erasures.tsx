import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { erasuresQuery, overseenPage, useContinueErasure, type OpenErasure } from '@/api/operator'
import { follow } from '@/app/follow'
import { Loaded } from '@/app/Loaded'
import { Pages } from '@/app/Pages'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Button, notices, Panel, Stack, Table, type Column } from '@/ui'
import css from './Operator.module.css'

/** Unfinished erasures of persons, each with a button to resume it. */
export function Erasures() {
  const text = useText()
  const { ago, moment, count } = useFormat()
  const [page, setPage] = useState(0)
  const columns: Column<OpenErasure>[] = [
    {
      id: 'what',
      title: text('operator.person'),
      cell: (of) => (
        <div className={css.what}>
          <strong>{of.personId}</strong>
          <span className={css.more}>{text('operator.organisation.id', { id: String(of.organisationId) })}</span>
        </div>
      ),
    },
    {
      id: 'changes',
      width: '11rem',
      align: 'end',
      from: 'medium',
      title: text('operator.erased'),
      cell: ({ erasedChanges }) => count(erasedChanges),
    },
    {
      id: 'began',
      width: '8rem',
      title: text('operator.began'),
      cell: ({ beganAt }) => (
        <time dateTime={beganAt} title={moment(beganAt)}>
          {ago(beganAt)}
        </time>
      ),
    },
    {
      id: 'do',
      width: '11rem',
      align: 'end',
      title: <span className="visually-hidden">{text('operator.do')}</span>,
      cell: (of) => <GoOn of={of} />,
    },
  ]
  return (
    <Panel title={text('operator.erasures')}>
      <Loaded query={useQuery(erasuresQuery(page))} lines={4}>
        {({ erasures, total }) =>
          total === 0 ? (
            <p>{text('operator.none')}</p>
          ) : (
            <Stack>
              <Table
                label={text('operator.erasures')}
                columns={columns}
                entries={erasures}
                rowId={(of) => `${of.organisationId} ${of.personId}`}
              />
              {(page > 0 || total > overseenPage) && (
                <Pages
                  oldestFirst
                  page={page}
                  size={overseenPage}
                  total={total}
                  label={text('operator.erasures.total', { count: total })}
                  onPage={setPage}
                />
              )}
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  )
}

function GoOn({ of }: { of: OpenErasure }) {
  const text = useText()
  const erasure = useContinueErasure()
  const goOn = () =>
    follow(erasure.mutateAsync(of), ({ complete, openImports }) =>
      notices.add({
        title: text(complete ? 'operator.goOn.ended' : 'operator.goOn.left'),
        ...(openImports > 0 && { tone: 'wait' as const, about: text('operator.goOn.open', { count: openImports }) }),
      }),
    )
  return (
    <Button isPending={erasure.isPending} onPress={goOn}>
      {text('operator.goOn')}
    </Button>
  )
}
