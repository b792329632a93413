import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { organisationsQuery, overseenPage, type Organisation } from '@/api/operator'
import { Loaded } from '@/app/Loaded'
import { Pages } from '@/app/Pages'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, Button, Panel, Stack, Table, type Column } from '@/ui'
import { OneOrganisation } from './OneOrganisation'

/** The organisations of the installation, with quotas and contexts of the selected one. */
export function Organisations() {
  const text = useText()
  const { moment } = useFormat()
  const [page, setPage] = useState(0)
  const [open, setOpen] = useState<number | null>(null)
  const columns: Column<Organisation>[] = [
    { id: 'id', width: '5rem', align: 'end', title: text('operator.id'), cell: ({ id }) => id },
    { id: 'name', title: text('operator.name'), cell: ({ name }) => <strong>{name}</strong> },
    {
      id: 'state',
      width: '11rem',
      title: text('operator.state'),
      cell: ({ active }) => (
        <Badge tone={active ? 'good' : 'neutral'}>{text(active ? 'operator.active' : 'operator.inactive')}</Badge>
      ),
    },
    {
      id: 'since',
      width: '12rem',
      from: 'wide',
      title: text('operator.made'),
      cell: ({ createdAt }) => moment(createdAt),
    },
    {
      id: 'do',
      width: '9rem',
      align: 'end',
      title: <span className="visually-hidden">{text('operator.do')}</span>,
      cell: ({ id, name }) => (
        <Button aria-label={text('operator.open.of', { name })} onPress={() => setOpen(id)}>
          {text('operator.look')}
        </Button>
      ),
    },
  ]
  return (
    <Panel title={text('operator.organisations')}>
      <Loaded query={useQuery(organisationsQuery(page))} lines={3}>
        {({ organisations, total }) => {
          const one = organisations.find(({ id }) => id === open)
          return (
            <Stack>
              <Table
                label={text('operator.organisations')}
                columns={columns}
                entries={organisations}
                rowId={({ id }) => String(id)}
              />
              {total > overseenPage && (
                <Pages
                  oldestFirst
                  page={page}
                  size={overseenPage}
                  total={total}
                  label={text('operator.organisations.total', { count: total })}
                  onPage={setPage}
                />
              )}
              {one && <OneOrganisation key={one.id} of={one} />}
            </Stack>
          )
        }}
      </Loaded>
    </Panel>
  )
}
