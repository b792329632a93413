import { useQuery } from '@tanstack/react-query'
import { Filter, Upload } from 'lucide-react'
import { useNavigate, useSearchParams } from 'react-router'
import { importsQuery, typesQuery, waitingQuery, waits } from '@/api/imports'
import { Failure } from '@/app/Failure'
import { Pages } from '@/app/Pages'
import { offerSample, sampleType } from '@/app/sample'
import { setTour } from '@/app/tour'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Button, ButtonLink, EmptyState, PageHeader, Skeleton } from '@/ui'
import { Filters } from './Filters'
import css from './Imports.module.css'
import { ImportsTable } from './ImportsTable'
import { pageSize, readFilter, toQuery, writeFilter, type ListFilter } from './filter'

/** The live list of imports. Those that wait for a person come first. The filter is in the address. */
export function Component() {
  const text = useText()
  const [query, setQuery] = useSearchParams()
  const filter = readFilter(query)
  const change = (next: Partial<ListFilter>) =>
    setQuery((before) => writeFilter(before, { ...readFilter(before), page: 0, ...next }), {
      replace: next.page === undefined,
    })
  return (
    <>
      <PageHeader title={text('imports.title')} about={text('imports.about')} />
      <Filters filter={filter} onChange={change} />
      <List filter={filter} onChange={change} />
    </>
  )
}

type ListProps = { filter: ListFilter; onChange: (filter: Partial<ListFilter>) => void }

function List({ filter, onChange }: ListProps) {
  const text = useText()
  const { count } = useFormat()
  const page = useQuery(importsQuery(toQuery(filter)))
  const waiting = useQuery(waitingQuery)
  // Waiting imports are shown first, so the list is rendered only when both have loaded and nothing shifts.
  if (!page.data || waiting.isPending)
    return page.error ? (
      <Failure error={page.error} onRetry={() => void page.refetch()} />
    ) : (
      <Skeleton label={text('face.loading')} />
    )
  if (page.data.imports.length === 0) return <Nothing filter={filter} onChange={onChange} />
  const apart = waiting.data !== undefined && filter.show === 'all' && filter.page === 0 && !filter.text && !filter.type
  const first = apart ? waiting.data.imports : []
  const total = waiting.data?.total ?? 0
  const more = total > first.length ? total : 0
  const others = apart ? page.data.imports.filter((job) => !waits(job)) : page.data.imports
  return (
    <div className={css.lists}>
      {first.length > 0 && (
        <section>
          <h2 className={css.heading}>{text('imports.needsYou')}</h2>
          <ImportsTable label={text('imports.needsYou')} imports={first} />
          {more > 0 && (
            <div className={css.more}>
              <Button look="quiet" onPress={() => onChange({ show: 'waiting' })}>
                {text('imports.more', { count: more, shown: count(more) })}
              </Button>
            </div>
          )}
        </section>
      )}
      {others.length > 0 && (
        <section>
          {first.length > 0 && <h2 className={css.heading}>{text('imports.others')}</h2>}
          <ImportsTable label={text('imports.others')} imports={others} />
        </section>
      )}
      <Pages
        page={filter.page}
        size={pageSize}
        total={page.data.total}
        label={text('imports.total', { count: page.data.total })}
        onPage={(next) => onChange({ page: next })}
      />
    </div>
  )
}

/** Offers the sample file, with and without the tour, where its type is installed. */
function Sample() {
  const text = useText()
  const leave = useNavigate()
  const { data: types = [] } = useQuery(typesQuery)
  if (!types.some(({ name }) => name === sampleType)) return null
  const begin = (withTour: boolean) => {
    setTour(withTour)
    offerSample()
    void leave('/imports/new')
  }
  return (
    <>
      <Button onPress={() => begin(true)}>{text('imports.empty.tour')}</Button>
      <Button look="quiet" onPress={() => begin(false)}>
        {text('imports.empty.sample')}
      </Button>
    </>
  )
}

function Nothing({ filter, onChange }: ListProps) {
  const text = useText()
  if (filter.show === 'all' && !filter.text && !filter.type && filter.page === 0) {
    return (
      <EmptyState
        icon={<Upload />}
        title={text('imports.empty')}
        actions={
          <>
            <ButtonLink to="/imports/new" look="primary">
              {text('layout.new')}
            </ButtonLink>
            <Sample />
          </>
        }
      >
        {text('imports.empty.about')}
      </EmptyState>
    )
  }
  const reset = () => onChange({ show: 'all', type: '', text: '', page: 0 })
  return (
    <EmptyState
      icon={<Filter />}
      title={text('imports.none')}
      actions={<Button onPress={reset}>{text('imports.reset')}</Button>}
    >
      {text('imports.none.about')}
    </EmptyState>
  )
}
