import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Schema } from '@/api/client'
import { historyQuery } from '@/api/changes'
import { isTime, useFields } from '@/api/fields'
import { Failure } from '@/app/Failure'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Values } from '@/screens/changes/Values'
import { isTimeOfWriting } from '@/screens/changes/writing'
import { Badge, Bar, Button, Panel, Skeleton, Table, type Column } from '@/ui'
import css from './History.module.css'

type Value = Schema<'EntityHistory'>['values'][number]

/** The values of an entity with their origin, and the changes by imports, newest first. */
export function Entity({ type, entity, by }: { type: string; entity: string; by: string }) {
  const text = useText()
  const { value: written } = useFormat()
  const { title, kind } = useFields(type)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    historyQuery(type, entity, by),
  )
  if (!data)
    return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton label={text('face.loading')} />
  const { values, entities } = data.pages[0]!
  const columns: Column<Value>[] = [
    { id: 'field', width: '24%', title: text('history.field'), cell: ({ field }) => title(field) },
    {
      id: 'value',
      title: text('history.value'),
      cell: ({ field, value, edited }) => (
        <Bar>
          <strong>{value === null ? '–' : written(kind(field), value)}</strong>
          {edited && <Badge tone="wait">{text('history.edited')}</Badge>}
        </Bar>
      ),
    },
    {
      id: 'source',
      title: text('history.source'),
      cell: ({ source, columns: from }) => (source ? <Source of={source} columns={from} /> : text('history.nobody')),
    },
  ]
  return (
    <>
      <Panel title={text('history.values')}>
        <Table
          label={text('history.values')}
          columns={columns}
          entries={values}
          rowId={({ table, field }) => `${table} ${field}`}
        />
      </Panel>
      <Panel title={text('history.changes')}>
        <ol className={css.changes}>
          {data.pages
            .flatMap((part) => part.changes)
            .map((change) => (
              <li key={`${change.table} ${change.source.identifier} ${change.source.rowNumber}`}>
                <Bar>
                  <Badge tone={change.kind === 'CREATED' ? 'good' : 'neutral'}>
                    {text(`changes.one.${change.kind}`)}
                  </Badge>
                  <Source of={change.source} columns={[]} />
                  <Undone of={change.source} />
                </Bar>
                <dl>
                  {change.fields
                    .filter(
                      (field) =>
                        !(change.source.undoOf ? isTime(field.field) : isTimeOfWriting(field, change.source.at)),
                    )
                    .map(({ field, before, after }) => (
                      <div key={field}>
                        <dt>{title(field)}</dt>
                        <dd>
                          <Values kind={kind(field)} before={before} after={after} isNew={change.kind === 'CREATED'} />
                        </dd>
                      </div>
                    ))}
                </dl>
              </li>
            ))}
        </ol>
        {hasNextPage ? (
          <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {text('changes.more')}
          </Button>
        ) : (
          <p className={css.begins}>{entities[0] && text(`history.begins.${entities[0].begins}`)}</p>
        )}
      </Panel>
    </>
  )
}

function Source({ of, columns }: { of: Schema<'HistorySource'>; columns: string[] }) {
  const text = useText()
  const { ago, moment } = useFormat()
  return (
    <span className={css.source} title={moment(of.at)}>
      <Link to={`/imports/${of.identifier}`}>{of.originalFilename}</Link>
      <span>
        {[!of.undoOf && text('history.row', { row: of.rowNumber }), columns.join(' + '), of.uploader, ago(of.at)]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </span>
  )
}

/** Shows that an import was an undo or was undone, with a link to the other import. */
function Undone({ of: { undoOf, undoneBy } }: { of: Schema<'HistorySource'> }) {
  const text = useText()
  if (undoOf)
    return (
      <span className={css.undone}>
        <Badge tone="wait">{text('history.undo')}</Badge>
        <Link to={`/imports/${undoOf}`}>{text('import.undoOf.link')}</Link>
      </span>
    )
  if (undoneBy)
    return (
      <span className={css.undone}>
        <Badge tone="wait">{text('history.undone')}</Badge>
        <Link to={`/imports/${undoneBy.identifier}`}>{text('import.undoneBy.link')}</Link>
      </span>
    )
  return null
}
