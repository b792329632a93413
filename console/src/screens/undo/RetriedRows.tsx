import type { ImportJob } from '@/api/imports'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Bar, ButtonLink, Panel, Stack } from '@/ui'

/** Lists the retries of an import, which are imports of their own, with links to undo them. */
export function RetriedRows({ job }: { job: ImportJob }) {
  const text = useText()
  const { count } = useFormat()
  const later = job.retries.filter(({ ofRows, status }) => ofRows && status === 'COMPLETED')
  if (later.length === 0) return null
  return (
    <Panel title={text('undo.later')}>
      <Stack>
        <p>{text('undo.later.about')}</p>
        <Bar>
          {later.map(({ identifier, successCount }) => (
            <ButtonLink key={identifier} to={`/imports/${identifier}/undo`}>
              {text('undo.later.of', { count: successCount, shown: count(successCount) })}
            </ButtonLink>
          ))}
        </Bar>
      </Stack>
    </Panel>
  )
}
