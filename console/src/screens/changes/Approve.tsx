import { Link2 } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Schema } from '@/api/client'
import { useApply } from '@/api/changes'
import type { ImportJob } from '@/api/imports'
import { follow } from '@/app/follow'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Bar, Button, notices, Panel, Select, Stack } from '@/ui'
import css from './Changes.module.css'
import { surpassed } from './guards'

const ways: Schema<'OnStale'>[] = ['skip', 'abort', 'overwrite']

type ApproveProps = { job: ImportJob; summary: Schema<'ChangesSummary'> | undefined; title: (field: string) => string }

/** Approves a plan, or shares its link with another person. Lists the exceeded approval limits. */
export function Approve({ job, summary, title }: ApproveProps) {
  const text = useText()
  const leave = useNavigate()
  const [onStale, setOnStale] = useState<Schema<'OnStale'>>('skip')
  const { count } = useFormat()
  const beyond = summary && job.plan ? surpassed(job.plan.guards, summary, job.totalRows) : []
  const apply = useApply(job.identifier)
  const digest = job.plan?.digest
  const doIt = () =>
    digest && follow(apply.mutateAsync({ digest, onStale }), () => void leave(`/imports/${job.identifier}`))
  const share = () =>
    void navigator.clipboard.writeText(location.href).then(() => notices.add({ title: text('changes.shared') }))
  return (
    <Panel title={text('changes.approve.title')}>
      <Stack>
        <p>{text(job.plan?.approval === 'other' ? 'changes.approve.other' : 'changes.approve.about')}</p>
        {beyond.length > 0 && (
          <ul className={css.beyond}>
            {beyond.map(({ what, field, count: changed, limit }) => (
              <li key={`${what} ${field}`}>
                {text(`changes.beyond.${what}`, { field: title(field), count: changed, shown: count(changed), limit })}
              </li>
            ))}
          </ul>
        )}
        <Bar fields>
          <Select
            label={text('changes.stale')}
            value={onStale}
            onChange={(id) => setOnStale(id as typeof onStale)}
            choices={ways.map((id) => ({ id, name: text(`changes.stale.${id}`) }))}
          />
        </Bar>
        <Bar>
          <Button look="primary" isDisabled={!digest} isPending={apply.isPending} onPress={doIt}>
            {text('changes.approve')}
          </Button>
          <Button onPress={share}>
            <Link2 aria-hidden />
            {text('changes.share')}
          </Button>
        </Bar>
      </Stack>
    </Panel>
  )
}
