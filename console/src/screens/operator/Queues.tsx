import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queuesQuery, type QueueState } from '@/api/operator'
import { Loaded } from '@/app/Loaded'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, Button, Panel, Stack, Table, type Column } from '@/ui'
import { DeadLetters } from './DeadLetters'

/** The number of messages in each queue, and the dead letters. */
export function Queues() {
  const text = useText()
  const { count, ago } = useFormat()
  const [open, setOpen] = useState<QueueState['name'] | null>(null)
  const dead = ({ deadLetters: { waiting, inFlight } }: QueueState) => waiting + inFlight
  const columns: Column<QueueState>[] = [
    {
      id: 'name',
      title: text('operator.queue'),
      cell: ({ name }) => <strong>{text(`operator.queue.${name}`)}</strong>,
    },
    {
      id: 'waiting',
      width: '8rem',
      align: 'end',
      title: text('operator.waiting'),
      cell: ({ work }) => (work ? count(work.waiting + work.delayed) : '–'),
    },
    {
      id: 'flight',
      width: '9rem',
      align: 'end',
      from: 'medium',
      title: text('operator.inFlight'),
      cell: ({ work }) => (work ? count(work.inFlight) : '–'),
    },
    {
      id: 'oldest',
      width: '9rem',
      from: 'medium',
      title: text('operator.since'),
      cell: ({ oldestAt }) => (oldestAt ? ago(oldestAt) : '–'),
    },
    {
      id: 'dead',
      width: '9rem',
      title: text('operator.dead'),
      cell: (of) => (dead(of) > 0 ? <Badge tone="bad">{count(dead(of))}</Badge> : count(0)),
    },
    {
      id: 'do',
      width: '9rem',
      align: 'end',
      title: <span className="visually-hidden">{text('operator.do')}</span>,
      cell: (of) => dead(of) > 0 && <Button onPress={() => setOpen(of.name)}>{text('operator.look')}</Button>,
    },
  ]
  return (
    <Panel title={text('operator.queues')}>
      <Loaded query={useQuery(queuesQuery)} lines={3}>
        {(queues) => (
          <Stack>
            <Table label={text('operator.queues')} columns={columns} entries={queues} rowId={({ name }) => name} />
            {open && <DeadLetters key={open} queue={open} />}
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}
