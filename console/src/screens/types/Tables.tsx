import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import type { Schema } from '@/api/client'
import { tablesPage, tablesQuery, type DeclaredType } from '@/api/declarations'
import { Loaded } from '@/app/Loaded'
import { Pages } from '@/app/Pages'
import { pageOf, withPage } from '@/app/pageOf'
import { SearchText } from '@/app/SearchText'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, ButtonLink, Stack, Table, type Column } from '@/ui'
import css from './Types.module.css'

type Verdict = Schema<'TableVerdict'>

/** The tables of the database with their verdicts, and a link to draft a type. */
export function Tables({ types }: { types: DeclaredType[] }) {
  const text = useText()
  const [query, setQuery] = useSearchParams()
  const page = pageOf(query)
  const q = query.get('q') ?? ''
  return (
    <Stack>
      <p>{text('types.tables.about')}</p>
      <SearchText
        label={text('types.search')}
        asked={q}
        maxLength={200}
        onAsk={(asked) => setQuery(asked ? { q: asked } : {}, { replace: true })}
      />
      <Loaded query={useQuery(tablesQuery(q, page))} lines={4}>
        {({ tables, total }) =>
          total === 0 ? (
            <p>{text('types.tables.none')}</p>
          ) : (
            <Stack>
              <List tables={tables} types={types} />
              <Pages
                page={page}
                size={tablesPage}
                total={total}
                label={text('types.tables.total', { count: total })}
                onPage={(next) => setQuery(withPage(next))}
              />
            </Stack>
          )
        }
      </Loaded>
    </Stack>
  )
}

function List({ tables, types }: { tables: Verdict[]; types: DeclaredType[] }) {
  const text = useText()
  const { count } = useFormat()
  const columns: Column<Verdict>[] = [
    {
      id: 'table',
      title: text('types.table'),
      cell: ({ table, comment }) => (
        <div className={css.name}>
          <strong>{table}</strong>
          {comment && <span>{comment}</span>}
        </div>
      ),
    },
    {
      id: 'rows',
      width: '8rem',
      title: text('types.rows'),
      align: 'end',
      from: 'wide',
      cell: ({ rows }) => (rows === null ? '–' : text('types.rows.about', { rows: count(rows) })),
    },
    { id: 'verdict', title: text('types.verdict'), cell: (each) => <VerdictOf table={each} types={types} /> },
    {
      id: 'do',
      width: '9.5rem',
      align: 'end',
      title: <span className="visually-hidden">{text('types.do')}</span>,
      cell: ({ table, adoptable }) =>
        adoptable && (
          <ButtonLink
            size="small"
            to={`/settings/types/new?${new URLSearchParams({ table })}`}
            aria-label={text('types.adopt.table', { table })}
          >
            {text('types.adopt')}
          </ButtonLink>
        ),
    },
  ]
  return <Table label={text('types.tables')} columns={columns} entries={tables} rowId={({ table }) => table} />
}

/** Whether a type can be declared for a table, or why not, and the types that use it. */
function VerdictOf({ table: { table, adoptable, reason }, types }: { table: Verdict; types: DeclaredType[] }) {
  const text = useText()
  const using = types.filter((type) => type.table === table && !type.retiredAt)
  return (
    <div className={css.name}>
      <Badge tone={adoptable ? 'good' : 'bad'}>{text(adoptable ? 'types.usable' : 'types.unusable')}</Badge>
      {reason && <span>{reason}</span>}
      {using.length > 0 && (
        <span>
          {text('types.usedBy')}{' '}
          {using.map(({ name, title }, place) => (
            <span key={name}>
              {place > 0 && ', '}
              <Link to={`/settings/types/${name}`}>{title}</Link>
            </span>
          ))}
        </span>
      )}
    </div>
  )
}
