import { useQuery } from '@tanstack/react-query'
import { Equal } from 'lucide-react'
import { useState } from 'react'
import type { Schema } from '@/api/client'
import { changesSummaryQuery, type ChangeFilter } from '@/api/changes'
import { hasEnded, typesQuery, waits } from '@/api/imports'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { useImport } from '@/screens/import/Frame'
import { EmptyState, Panel, Stack } from '@/ui'
import { Approve } from './Approve'
import { ByField } from './ByField'
import { Counts } from './Counts'
import { List } from './List'

/** What an import has changed, or, until its plan is applied, would change: counts, fields, and every change with both values. */
export function Component() {
  const text = useText()
  const job = useImport()
  const [filter, setFilter] = useState<ChangeFilter>({})
  const { data: types = [] } = useQuery(typesQuery)
  const titles = new Map(types.find(({ name }) => name === job.importType)?.fields.map(({ name, title }) => [name, title]))
  const title = (field: string) => titles.get(field) ?? field
  return (
    <Stack>
      {job.waitingFor === 'APPROVAL' && <Approve job={job} />}
      <Loaded query={useQuery(changesSummaryQuery(job.identifier, !hasEnded(job) && !waits(job)))}>
        {(summary) => isEmpty(summary) ? <EmptyState icon={<Equal />} title={text('changes.none')}>{text('changes.none.about')}</EmptyState> : (
          <>
            <Counts tables={summary.tables} chosen={filter.kind} onKind={(kind) => setFilter(kind ? { kind } : {})} />
            {summary.fields.length > 0 && <Panel title={text('changes.fields')}><ByField fields={summary.fields} title={title} chosen={filter.field} onField={(field) => setFilter(field ? { field } : {})} /></Panel>}
            <Panel title={text('changes.each')}><List key={JSON.stringify(filter)} job={job} filter={filter} onFilter={setFilter} title={title} /></Panel>
          </>
        )}
      </Loaded>
    </Stack>
  )
}

const isEmpty = ({ tables }: Schema<'ChangesSummary'>) => tables.every(({ created, updated, deleted }) => created + updated + deleted === 0)
