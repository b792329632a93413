import { useQuery } from '@tanstack/react-query'
import { Equal } from 'lucide-react'
import { useState } from 'react'
import type { Schema } from '@/api/client'
import { changesSummaryQuery, type ChangeFilter } from '@/api/changes'
import { useFields } from '@/api/fields'
import { hasEnded, waits } from '@/api/imports'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { useImport } from '@/screens/import/Frame'
import { EmptyState, Panel, Stack } from '@/ui'
import { Approve } from './Approve'
import { ByField } from './ByField'
import { Counts } from './Counts'
import { List } from './List'
import { isAboutWriting } from './writing'

/** The changes of an import or its plan: counts, fields, and all changes with both values. */
export function Component() {
  const text = useText()
  const job = useImport()
  const [filter, setFilter] = useState<ChangeFilter>({})
  const names = useFields(job.importType)
  // An undo also restores times of writes, which are not shown either.
  const begun = job.undoOf ? new Date(0).toISOString() : job.createdAt
  const summary = useQuery(changesSummaryQuery(job.identifier, !hasEnded(job) && !waits(job)))
  return (
    <Stack>
      {job.waitingFor === 'APPROVAL' && <Approve job={job} summary={summary.data} names={names} />}
      <Loaded query={summary}>
        {({ tables, fields }) =>
          isEmpty(tables) ? (
            <EmptyState icon={<Equal />} title={text('changes.none')}>
              {text('changes.none.about')}
            </EmptyState>
          ) : (
            <>
              <Counts tables={tables} chosen={filter.kind} onKind={(kind) => setFilter(kind ? { kind } : {})} />
              <ByField
                fields={fields.filter((field) => !isAboutWriting(field, begun))}
                names={names}
                chosen={filter.field}
                onField={(field) => setFilter(field ? { field } : {})}
              />
              <Panel title={text('changes.each')}>
                <List
                  key={JSON.stringify(filter)}
                  job={job}
                  filter={filter}
                  onFilter={setFilter}
                  names={names}
                  begun={begun}
                />
              </Panel>
            </>
          )
        }
      </Loaded>
    </Stack>
  )
}

const isEmpty = (tables: Schema<'ChangesSummary'>['tables']) =>
  tables.every(({ created, updated, deleted }) => created + updated + deleted === 0)
