import type { TypeCheck } from '@/api/declarations'
import { useText } from '@/i18n/messages'
import { Badge, Bar, Stack } from '@/ui'
import type { Noted } from './declaration'
import { Findings } from './Findings'

/** The result of a check. */
export function Report({ check, findings }: { check: TypeCheck; findings: Noted[] }) {
  const text = useText()
  return (
    <Stack>
      <div role="status">
        <Bar>
          <Badge tone={check.ok ? 'good' : 'bad'}>{text(check.ok ? 'type.check.ok' : 'type.check.fails')}</Badge>
          <span>{text('type.check.rows', { count: check.rehearsedRows })}</span>
        </Bar>
      </div>
      {check.derived.length > 0 && <p>{text('type.check.derived', { columns: check.derived.join(', ') })}</p>}
      {findings.length > 0 && <Findings findings={findings} />}
    </Stack>
  )
}
