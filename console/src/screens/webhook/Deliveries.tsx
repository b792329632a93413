import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { deliveriesPage, deliveriesQuery, useRedeliver, type Delivery } from '@/api/webhook'
import { follow } from '@/app/follow'
import { Loaded } from '@/app/Loaded'
import { Pages } from '@/app/Pages'
import { pageOf, withPage } from '@/app/pageOf'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, Button, Stack, Table, type Column, type Tone } from '@/ui'
import css from './Webhook.module.css'

const tones: Record<Delivery['status'], Tone> = { PENDING: 'busy', DELIVERED: 'good', FAILED: 'bad' }

/** The live list of deliveries. */
export function Deliveries() {
  const text = useText()
  const [query, setQuery] = useSearchParams()
  const page = pageOf(query)
  const { ago, moment } = useFormat()
  const columns: Column<Delivery>[] = [
    { id: 'what', title: text('webhook.message'), cell: (each) => <Message of={each} /> },
    {
      id: 'state',
      width: '11rem',
      title: text('webhook.state'),
      cell: ({ status }) => <Badge tone={tones[status]}>{text(`webhook.is.${status}`)}</Badge>,
    },
    {
      id: 'answer',
      width: '12rem',
      title: text('webhook.answer'),
      from: 'medium',
      cell: ({ httpStatus, fault }) =>
        [httpStatus, fault && fault !== 'HTTP_STATUS' && fault].filter(Boolean).join(' · ') || '–',
    },
    {
      id: 'attempts',
      width: '7rem',
      title: text('webhook.attempts'),
      align: 'end',
      from: 'wide',
      cell: ({ attempts }) => attempts,
    },
    {
      id: 'when',
      width: '9rem',
      title: text('webhook.when'),
      from: 'wide',
      cell: ({ createdAt }) => (
        <time dateTime={createdAt} title={moment(createdAt)}>
          {ago(createdAt)}
        </time>
      ),
    },
    {
      id: 'do',
      width: '9rem',
      align: 'end',
      title: <span className="visually-hidden">{text('webhook.do')}</span>,
      cell: (each) => each.status !== 'PENDING' && <Again of={each} />,
    },
  ]
  return (
    <Loaded query={useQuery(deliveriesQuery(page))} lines={3}>
      {({ deliveries, total }) =>
        total === 0 ? (
          <p>{text('webhook.none')}</p>
        ) : (
          <Stack>
            <Table
              label={text('webhook.deliveries')}
              columns={columns}
              entries={deliveries}
              rowId={({ eventId }) => eventId}
            />
            <Pages
              page={page}
              size={deliveriesPage}
              total={total}
              label={text('webhook.total', { count: total })}
              onPage={(next) => setQuery(withPage(next))}
            />
          </Stack>
        )
      }
    </Loaded>
  )
}

function Message({ of }: { of: Delivery }) {
  const text = useText()
  return (
    <div className={css.what}>
      <strong>{of.jobId ? <Link to={`/imports/${of.jobId}`}>{of.type}</Link> : of.type}</strong>
      {of.status === 'PENDING' && of.attempts > 0 && <span>{text('webhook.retried')}</span>}
    </div>
  )
}

function Again({ of }: { of: Delivery }) {
  const text = useText()
  const redeliver = useRedeliver()
  return (
    <Button size="small" isPending={redeliver.isPending} onPress={() => follow(redeliver.mutateAsync(of.eventId))}>
      {text('webhook.redeliver')}
    </Button>
  )
}
