import { useQuery } from '@tanstack/react-query'
import {
  deadLettersQuery,
  mostLetters,
  useDiscardLetter,
  useRedriveLetter,
  type DeadLetter,
  type QueueState,
} from '@/api/operator'
import { follow } from '@/app/follow'
import { Loaded } from '@/app/Loaded'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Bar, Button, Confirm, notices, Stack, Table, type Column } from '@/ui'
import css from './Operator.module.css'

/** The dead letters of a queue with the ids in them. */
export function DeadLetters({ queue }: { queue: QueueState['name'] }) {
  const text = useText()
  const { ago, moment } = useFormat()
  const columns: Column<DeadLetter>[] = [
    { id: 'what', title: text('operator.letter'), cell: (of) => <Carries of={of} /> },
    {
      id: 'sent',
      width: '8rem',
      from: 'medium',
      title: text('operator.sent'),
      cell: ({ sentAt }) => (
        <time dateTime={sentAt} title={moment(sentAt)}>
          {ago(sentAt)}
        </time>
      ),
    },
    {
      id: 'receives',
      width: '7rem',
      align: 'end',
      from: 'wide',
      title: text('operator.receives'),
      cell: ({ receives }) => receives,
    },
    {
      id: 'do',
      width: '15rem',
      align: 'end',
      title: <span className="visually-hidden">{text('operator.do')}</span>,
      cell: (of) => <Actions queue={queue} of={of} />,
    },
  ]
  const label = text('operator.dead.of', { queue: text(`operator.queue.${queue}`) })
  return (
    <section aria-label={label} className={css.letters}>
      <h3>{label}</h3>
      <Loaded query={useQuery(deadLettersQuery(queue))} lines={2}>
        {(letters) =>
          letters.length === 0 ? (
            <p>{text('operator.dead.none')}</p>
          ) : (
            <Stack>
              {letters.length >= mostLetters && (
                <p className={css.why}>{text('operator.dead.some', { count: letters.length })}</p>
              )}
              {queue === 'events' && <p className={css.why}>{text('operator.dead.events')}</p>}
              <Table label={label} columns={columns} entries={letters} rowId={({ id }) => id} />
            </Stack>
          )
        }
      </Loaded>
    </section>
  )
}

function Carries({ of }: { of: DeadLetter }) {
  const text = useText()
  const ids = [of.identifier, of.exportId, of.eventId, of.objectKey].filter((id) => id !== null)
  return (
    <div className={css.what}>
      {ids.map((id) => (
        <code key={id}>{id}</code>
      ))}
      {ids.length === 0 && text('operator.letter.unknown')}
      <span className={css.more}>
        {[
          of.organisationId !== null && text('operator.organisation.id', { id: String(of.organisationId) }),
          of.chunk !== null && text('operator.letter.chunk', { chunk: of.chunk }),
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </div>
  )
}

function Actions({ queue, of }: { queue: QueueState['name']; of: DeadLetter }) {
  const text = useText()
  const redrive = useRedriveLetter()
  const discard = useDiscardLetter()
  const path = { queue, messageId: of.id }
  return (
    <Bar end>
      {of.redrivable && (
        <Button
          isPending={redrive.isPending}
          onPress={() =>
            follow(redrive.mutateAsync(path), () => notices.add({ title: text('operator.letter.requeued') }))
          }
        >
          {text('operator.redrive')}
        </Button>
      )}
      <Confirm
        name={text('operator.discard')}
        title={text('operator.discard.title')}
        keep={text('operator.keep')}
        isPending={discard.isPending}
        onConfirm={() => follow(discard.mutateAsync(path))}
      >
        {text('operator.discard.about')}
      </Confirm>
    </Bar>
  )
}
