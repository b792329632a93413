import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import {
  overseenImportsQuery,
  overseenPage,
  useCancelImport,
  useRedriveImport,
  type OverseenImport,
  type Shown,
} from '@/api/operator'
import { useTypeTitle } from '@/api/fields'
import { follow } from '@/app/follow'
import { Loaded } from '@/app/Loaded'
import { Pages } from '@/app/Pages'
import { pageOf, withPage } from '@/app/pageOf'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, Bar, Button, Confirm, notices, Panel, Select, Stack, Table, type Column } from '@/ui'
import css from './Operator.module.css'

const shows: Shown[] = ['stuck', 'open', 'all']

/** Imports of all organisations by time without progress, with their actions. */
export function Imports() {
  const text = useText()
  const { ago, moment, count } = useFormat()
  const [query, setQuery] = useSearchParams()
  const shown = shows.find((each) => each === query.get('show')) ?? 'stuck'
  const page = pageOf(query)
  const columns: Column<OverseenImport>[] = [
    { id: 'what', title: text('operator.import'), cell: (of) => <What of={of} /> },
    { id: 'state', width: '13rem', title: text('operator.state'), cell: (of) => <State of={of} /> },
    {
      id: 'rows',
      width: '9rem',
      align: 'end',
      from: 'wide',
      title: text('operator.progress'),
      cell: (of) => text('operator.of', { done: count(of.processedRows), total: count(of.totalRows) }),
    },
    {
      id: 'heard',
      width: '8rem',
      from: 'medium',
      title: text('operator.heard'),
      cell: ({ updatedAt }) => (
        <time dateTime={updatedAt} title={moment(updatedAt)}>
          {ago(updatedAt)}
        </time>
      ),
    },
    {
      id: 'do',
      width: '15rem',
      align: 'end',
      title: <span className="visually-hidden">{text('operator.do')}</span>,
      cell: (of) => of.completedAt === null && <Actions of={of} />,
    },
  ]
  return (
    <Panel
      title={text('operator.imports')}
      actions={
        <Select
          label={text('operator.show')}
          labelHidden
          value={shown}
          onChange={(show) => setQuery({ show })}
          choices={shows.map((id) => ({ id, name: text(`operator.show.${id}`) }))}
        />
      }
    >
      <Loaded query={useQuery(overseenImportsQuery(shown, page))} lines={3}>
        {({ imports, total }) =>
          total === 0 ? (
            <p>{text(`operator.show.${shown}.none`)}</p>
          ) : (
            <Stack>
              <Table
                label={text('operator.imports')}
                columns={columns}
                entries={imports}
                rowId={({ identifier }) => identifier}
              />
              <Pages
                oldestFirst={shown !== 'all'}
                page={page}
                size={overseenPage}
                total={total}
                label={text('operator.total', { count: total })}
                onPage={(next) => setQuery(withPage(next))}
              />
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  )
}

function What({ of }: { of: OverseenImport }) {
  const text = useText()
  const typeTitle = useTypeTitle()
  return (
    <div className={css.what}>
      <strong>{typeTitle(of.importType)}</strong>
      <code>{of.identifier}</code>
      <span className={css.more}>
        {text('operator.organisation.id', { id: String(of.organisationId) })}
        {of.executionUrl && (
          <>
            {' '}
            · <a href={of.executionUrl}>{text('operator.execution')}</a>
          </>
        )}
      </span>
    </div>
  )
}

function State({ of }: { of: OverseenImport }) {
  const text = useText()
  return (
    <div className={css.what}>
      <Badge
        tone={of.stuck ? 'bad' : of.completedAt === null ? 'busy' : of.status === 'COMPLETED' ? 'good' : 'neutral'}
      >
        {of.stuck ? text(`operator.stuck.${of.stuck}`) : text(`operator.is.${of.status}`)}
      </Badge>
      <span className={css.more}>
        {[
          of.stuck && text(`operator.is.${of.status}`),
          of.failureCode,
          of.chunkTotal > 0 &&
            of.completedAt === null &&
            text('operator.chunks', { done: of.chunksDone, total: of.chunkTotal }),
          of.execution && text('operator.execution.is', { status: of.execution }),
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </div>
  )
}

function Actions({ of }: { of: OverseenImport }) {
  const text = useText()
  const redrive = useRedriveImport()
  const cancel = useCancelImport()
  const bring = () =>
    follow(redrive.mutateAsync(of.identifier), ({ chunks, reminded }) =>
      notices.add({ title: reminded ? text('operator.reminded') : text('operator.requeued', { count: chunks }) }),
    )
  return (
    <Bar end>
      <Button isPending={redrive.isPending} onPress={bring}>
        {text('operator.redrive')}
      </Button>
      <Confirm
        name={text('operator.cancel')}
        title={text('operator.cancel.title')}
        keep={text('operator.keep')}
        isPending={cancel.isPending}
        onConfirm={() => follow(cancel.mutateAsync(of))}
      >
        {text('operator.cancel.about')}
      </Confirm>
    </Bar>
  )
}
