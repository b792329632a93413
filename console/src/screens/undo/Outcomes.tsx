import { useQuery } from '@tanstack/react-query'
import { resultsQuery } from '@/api/changes'
import { Loaded } from '@/app/Loaded'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Badge, Stack, Table } from '@/ui'
import css from './Undo.module.css'

const kept = ['KEPT_LATER_EDIT', 'KEPT_REFERENCED', 'KEPT_KEY_TAKEN'] as const

/** The number of changes that would be undone or kept, with the reasons. */
export function Outcomes({ id }: { id: string }) {
  return (
    <Stack>
      <Outcome id={id} outcome="UNDONE" />
      {kept.map((outcome) => (
        <Outcome key={outcome} id={id} outcome={outcome} />
      ))}
    </Stack>
  )
}

function Outcome({ id, outcome }: { id: string; outcome: 'UNDONE' | (typeof kept)[number] }) {
  const text = useText()
  const { count } = useFormat()
  return (
    <Loaded query={useQuery(resultsQuery(id, outcome))} lines={1}>
      {({ rows, total }) =>
        outcome !== 'UNDONE' && total === 0 ? null : (
          <div className={css.outcome}>
            <p>
              <Badge tone={outcome === 'UNDONE' ? 'good' : 'wait'}>{text(`undo.${outcome}`)}</Badge>{' '}
              <strong>{text('undo.count', { count: total, shown: count(total) })}</strong>
            </p>
            {outcome !== 'UNDONE' && (
              <Table
                label={text(`undo.${outcome}`)}
                entries={rows}
                rowId={(row) => String(row.id)}
                columns={[
                  {
                    id: 'row',
                    width: '6rem',
                    align: 'end',
                    title: text('changes.row'),
                    cell: ({ rowNumber }) => rowNumber,
                  },
                  { id: 'why', title: text('undo.why'), cell: ({ message, faults }) => message ?? faults[0]?.message },
                ]}
              />
            )}
          </div>
        )
      }
    </Loaded>
  )
}
