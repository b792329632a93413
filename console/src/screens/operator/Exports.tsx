import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { overseenPage, stuckExportsQuery, useEndExport, useRedriveExport, type OverseenExport } from '@/api/operator'
import { useTypeTitle } from '@/api/fields'
import { follow } from '@/app/follow'
import { Loaded } from '@/app/Loaded'
import { Pages } from '@/app/Pages'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, Bar, Button, Confirm, notices, Panel, Stack, Table, type Column } from '@/ui'
import css from './Operator.module.css'

/** Stuck exports of all organisations with their actions. */
export function Exports() {
  const text = useText()
  const { ago, moment } = useFormat()
  const typeTitle = useTypeTitle()
  const [page, setPage] = useState(0)
  const columns: Column<OverseenExport>[] = [
    {
      id: 'what',
      title: text('operator.export'),
      cell: (of) => (
        <div className={css.what}>
          <strong>{typeTitle(of.importType)}</strong>
          <code>{of.id}</code>
          <span className={css.more}>{text('operator.organisation.id', { id: String(of.organisationId) })}</span>
        </div>
      ),
    },
    {
      id: 'state',
      width: '11rem',
      title: text('operator.state'),
      cell: ({ status }) => <Badge tone="bad">{text(`exports.is.${status}`)}</Badge>,
    },
    {
      id: 'asked',
      width: '8rem',
      from: 'medium',
      title: text('operator.asked'),
      cell: ({ createdAt }) => (
        <time dateTime={createdAt} title={moment(createdAt)}>
          {ago(createdAt)}
        </time>
      ),
    },
    {
      id: 'do',
      width: '15rem',
      align: 'end',
      title: <span className="visually-hidden">{text('operator.do')}</span>,
      cell: (of) => <Actions of={of} />,
    },
  ]
  return (
    <Panel title={text('operator.exports')}>
      <Loaded query={useQuery(stuckExportsQuery(page))} lines={5}>
        {({ exports, total }) =>
          total === 0 ? (
            <p>{text('operator.none')}</p>
          ) : (
            <Stack>
              <Table label={text('operator.exports')} columns={columns} entries={exports} rowId={({ id }) => id} />
              {(page > 0 || total > overseenPage) && (
                <Pages
                  page={page}
                  size={overseenPage}
                  total={total}
                  label={text('exports.total', { count: total })}
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

function Actions({ of }: { of: OverseenExport }) {
  const text = useText()
  const redrive = useRedriveExport()
  const end = useEndExport()
  return (
    <Bar end>
      <Button
        isPending={redrive.isPending}
        onPress={() =>
          follow(redrive.mutateAsync(of.id), () => notices.add({ title: text('operator.requeued', { count: 0 }) }))
        }
      >
        {text('operator.redrive')}
      </Button>
      <Confirm
        name={text('operator.cancel')}
        title={text('operator.cancelExport.title')}
        keep={text('operator.keep')}
        isPending={end.isPending}
        onConfirm={() => follow(end.mutateAsync(of))}
      >
        {text('operator.cancelExport.about')}
      </Confirm>
    </Bar>
  )
}
