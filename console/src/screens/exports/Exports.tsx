import { useQuery } from '@tanstack/react-query'
import { FileDown, Plus } from 'lucide-react'
import { useSearchParams } from 'react-router'
import { exportsPage, exportsQuery } from '@/api/exports'
import { Loaded } from '@/app/Loaded'
import { Pages } from '@/app/Pages'
import { pageOf, withPage } from '@/app/pageOf'
import { useText } from '@/i18n/messages'
import { ButtonLink, EmptyState, PageHeader, Stack } from '@/ui'
import { ExportsTable } from './ExportsTable'

/** The exports, live. */
export function Component() {
  const text = useText()
  const [query, setQuery] = useSearchParams()
  const page = pageOf(query)
  const begin = (
    <ButtonLink to="/exports/new" look="primary">
      <Plus aria-hidden />
      {text('exports.new')}
    </ButtonLink>
  )
  return (
    <>
      <PageHeader title={text('exports.title')} about={text('exports.about')} actions={begin} />
      <Loaded query={useQuery(exportsQuery(page))}>
        {({ exports, total }) =>
          total === 0 ? (
            <EmptyState icon={<FileDown />} title={text('exports.empty')} actions={begin}>
              {text('exports.empty.about')}
            </EmptyState>
          ) : (
            <Stack>
              <ExportsTable exports={exports} />
              <Pages
                page={page}
                size={exportsPage}
                total={total}
                label={text('exports.total', { count: total })}
                onPage={(next) => setQuery(withPage(next))}
              />
            </Stack>
          )
        }
      </Loaded>
    </>
  )
}
