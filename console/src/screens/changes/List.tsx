import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { changesQuery, type Change, type ChangeFilter } from '@/api/changes'
import type { Fields as Names } from '@/api/fields'
import type { ImportJob } from '@/api/imports'
import { Failure } from '@/app/Failure'
import { useText } from '@/i18n/messages'
import { Badge, Bar, Button, Field, Skeleton, Stack, Table, type Column } from '@/ui'
import { isUnwritten } from '../import/state'
import css from './Changes.module.css'
import { useChangedRows, type ChangedRow } from './useChangedRows'
import { Values } from './Values'
import { isTimeOfWriting } from './writing'

type ListProps = {
  job: ImportJob
  filter: ChangeFilter
  onFilter: (filter: ChangeFilter) => void
  names: Names
  begun: string
}

/** All changes with both values, roughly in file order. */
export function List({ job, filter, onFilter, names, begun }: ListProps) {
  const text = useText()
  const [typed, setTyped] = useState(filter.q ?? '')
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    changesQuery(job.identifier, filter),
  )
  const changes = data?.pages.flatMap((part) => part.changes) ?? []
  const { rows, isLoading } = useChangedRows(job, changes)
  // Records get their height from the rows of the file, so the first ones appear together with these.
  const isFirstLoading = isLoading && data?.pages.length === 1
  const columns: Column<Change>[] = [
    {
      id: 'row',
      width: '6rem',
      align: 'end',
      title: text('changes.row'),
      from: 'medium',
      cell: ({ rowNumber }) => rowNumber ?? '–',
    },
    {
      id: 'kind',
      width: '9rem',
      title: text('changes.what'),
      cell: ({ kind }) => (
        <Badge tone={kind === 'CREATED' ? 'good' : kind === 'DELETED' ? 'bad' : 'neutral'}>
          {text(`changes.one.${kind}`)}
        </Badge>
      ),
    },
    {
      id: 'values',
      title: text('changes.values'),
      cell: (change) => <Fields of={change} row={rows.get(change.rowNumber ?? 0)} names={names} begun={begun} />,
    },
    {
      id: 'history',
      width: '8rem',
      align: 'end',
      title: <span className="visually-hidden">{text('changes.history')}</span>,
      from: 'medium',
      // A record that is only planned has no history yet.
      cell: ({ id, kind }) =>
        !(kind === 'CREATED' && isUnwritten(job)) && (
          <Link to={`/history?${new URLSearchParams({ type: job.importType, key: id })}`}>
            {text('changes.history')}
          </Link>
        ),
    },
  ]
  return (
    <Stack>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onFilter({ ...filter, q: typed.trim() || undefined })
        }}
      >
        <Bar>
          <Field
            label={text('changes.search')}
            labelHidden
            placeholder={text('changes.search')}
            type="search"
            maxLength={100}
            value={typed}
            onChange={setTyped}
          />
          <Button type="submit">{text('changes.find')}</Button>
        </Bar>
      </form>
      {!data || isFirstLoading ? (
        error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton label={text('face.loading')} />
        )
      ) : changes.length === 0 && !hasNextPage ? (
        <p>{text('changes.noneFit')}</p>
      ) : (
        <Table
          label={text('changes.each')}
          columns={columns}
          entries={changes}
          rowId={({ table, id, rowNumber }) => `${table} ${id} ${rowNumber}`}
        />
      )}
      {hasNextPage && (
        <Bar>
          <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {text('changes.more')}
          </Button>
        </Bar>
      )}
    </Stack>
  )
}

type FieldsProps = { of: Change; row: ChangedRow | undefined; names: Names; begun: string }

/** The changed fields of a record below its name. Of a new record only the row of the file is known. */
function Fields({ of, row, names, begun }: FieldsProps) {
  const shown = of.fields.filter((field) => !isTimeOfWriting(field, begun))
  return (
    <>
      {row?.name && shown.length > 0 && <strong className={css.named}>{row.name}</strong>}
      <dl className={css.fields}>
        {shown.map(({ field, before, after }) => (
          <div key={field}>
            <dt>{names.title(field)}</dt>
            <dd>
              <Values kind={names.kind(field)} before={before} after={after} isNew={of.kind === 'CREATED'} />
            </dd>
          </div>
        ))}
        {shown.length === 0 &&
          row?.values.map(({ title, value }) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        {shown.length === 0 && !row && (
          <div>
            <dt>{of.table}</dt>
            <dd>
              <code>{of.id}</code>
            </dd>
          </div>
        )}
      </dl>
    </>
  )
}
