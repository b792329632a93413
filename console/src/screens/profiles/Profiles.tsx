import { useQuery } from '@tanstack/react-query'
import { BookMarked } from 'lucide-react'
import { Link, useSearchParams } from 'react-router'
import type { Schema } from '@/api/client'
import { typesQuery } from '@/api/imports'
import { allProfilesQuery, profilesPage } from '@/api/profiles'
import { Loaded } from '@/app/Loaded'
import { Pages } from '@/app/Pages'
import { pageOf, withPage } from '@/app/pageOf'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, EmptyState, PageHeader, Stack, Table, type Column } from '@/ui'

/** The list of profiles. */
export function Component() {
  const text = useText()
  const [query, setQuery] = useSearchParams()
  const page = pageOf(query)
  return (
    <>
      <PageHeader title={text('profiles.title')} about={text('profiles.about')} />
      <Loaded query={useQuery(allProfilesQuery(page))}>
        {({ profiles, total }) =>
          total === 0 ? (
            <EmptyState icon={<BookMarked />} title={text('profiles.empty')}>
              {text('profiles.empty.about')}
            </EmptyState>
          ) : (
            <Stack>
              <List profiles={profiles} />
              <Pages
                page={page}
                size={profilesPage}
                total={total}
                label={text('profiles.total', { count: total })}
                onPage={(next) => setQuery(withPage(next))}
              />
            </Stack>
          )
        }
      </Loaded>
    </>
  )
}

function List({ profiles }: { profiles: Schema<'ProfileSummary'>[] }) {
  const text = useText()
  const { ago, moment } = useFormat()
  const { data: types = [] } = useQuery(typesQuery)
  const columns: Column<Schema<'ProfileSummary'>>[] = [
    {
      id: 'name',
      title: text('profiles.name'),
      cell: ({ id, name }) => (
        <Link to={`/profiles/${id}`}>
          <strong>{name}</strong>
        </Link>
      ),
    },
    {
      id: 'type',
      width: '14rem',
      title: text('profiles.type'),
      from: 'medium',
      cell: ({ importType }) => types.find(({ name }) => name === importType)?.title ?? importType,
    },
    {
      id: 'auto',
      width: '11rem',
      title: text('profiles.used'),
      cell: ({ auto }) => (
        <Badge tone={auto ? 'good' : 'neutral'}>{text(auto ? 'profiles.auto' : 'profiles.named')}</Badge>
      ),
    },
    {
      id: 'version',
      width: '6rem',
      title: text('profiles.version'),
      align: 'end',
      from: 'wide',
      cell: ({ version }) => version,
    },
    {
      id: 'saved',
      width: '12rem',
      title: text('profiles.saved'),
      from: 'medium',
      cell: ({ savedAt, savedBy }) => (
        <span title={moment(savedAt)}>{[ago(savedAt), savedBy].filter(Boolean).join(' · ')}</span>
      ),
    },
  ]
  return <Table label={text('profiles.title')} columns={columns} entries={profiles} rowId={({ id }) => id} />
}
