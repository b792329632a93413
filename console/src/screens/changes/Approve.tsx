import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link2, Rows3 } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Schema } from '@/api/client'
import type { Fields } from '@/api/fields'
import { useApply } from '@/api/changes'
import { meQuery, type ImportJob } from '@/api/imports'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Bar, Button, ButtonLink, notices, Panel, Select, Stack } from '@/ui'
import css from './Changes.module.css'
import { countsQuery, importCorrected } from '../result/queries'
import { surpassed } from './guards'
import { Stale } from './Stale'

const ways: Schema<'OnStale'>[] = ['skip', 'abort', 'overwrite']

type ApproveProps = { job: ImportJob; summary: Schema<'ChangesSummary'> | undefined; names: Fields }

/** Imports or approves a plan, or shares its link with another person. Lists the exceeded approval limits. */
export function Approve({ job, summary, names }: ApproveProps) {
  const text = useText()
  const leave = useNavigate()
  const [onStale, setOnStale] = useState<Schema<'OnStale'>>('skip')
  const { count } = useFormat()
  const beyond = summary && job.plan ? surpassed(job.plan.guards, summary, job.totalRows) : []
  const apply = useApply(job.identifier)
  const refusal = useRefusal(job)
  const digest = job.plan?.digest
  const isOwn = job.plan?.asked === true && job.plan.approval === 'any'
  const queries = useQueryClient()
  const { data: counts } = useQuery({ ...countsQuery(job.identifier), enabled: job.openErrors > 0 })
  const corrected = counts?.correctedRows ?? 0
  const importable = job.createdCount + job.updatedCount + corrected
  /** Imports the corrected rows while the person goes on. Rows that cannot be imported remain in the list of errors. */
  const addCorrected = async () => {
    await importCorrected(job.identifier).catch((error: unknown) =>
      notices.add({ tone: 'bad', title: (error as Error).message }),
    )
    await queries.invalidateQueries({ queryKey: ['import', job.identifier] })
  }
  const doIt = () =>
    digest &&
    void apply.mutateAsync({ digest, onStale }).then(
      () => {
        if (corrected > 0) void addCorrected()
        void leave(`/imports/${job.identifier}`)
      },
      () => undefined, // the message is shown below
    )
  const share = () =>
    void navigator.clipboard.writeText(location.href).then(() => notices.add({ title: text('changes.shared') }))
  const remaining = job.openErrors - corrected
  const faulty = { count: remaining, shown: count(remaining) }
  const action = () => {
    if (!isOwn) return text('changes.approve')
    if (importable > 0) return text('changes.import', { count: importable, shown: count(importable) })
    return remaining > 0 ? text('changes.finish', faulty) : text('changes.close')
  }
  return (
    <Panel title={text(isOwn ? 'changes.preview.title' : 'changes.approve.title')}>
      <Stack>
        <p>
          {text(
            isOwn
              ? 'changes.preview.about'
              : job.plan?.approval === 'other' && !refusal
                ? 'changes.approve.other'
                : 'changes.approve.about',
          )}
        </p>
        {beyond.length > 0 && (
          <ul className={css.beyond}>
            {beyond.map(({ what, field, count: changed, limit }) => (
              <li key={`${what} ${field}`}>
                {text(`changes.beyond.${what}`, {
                  field: names.title(field),
                  count: changed,
                  shown: count(changed),
                  limit,
                })}
              </li>
            ))}
          </ul>
        )}
        {job.openErrors > 0 && (
          <Bar>
            <p>
              {remaining > 0 && text('changes.preview.errors', faulty)}{' '}
              {corrected > 0 && text('changes.preview.corrected', { count: corrected, shown: count(corrected) })}
            </p>
            <ButtonLink size="small" to={`/imports/${job.identifier}/rows?show=open`}>
              <Rows3 aria-hidden />
              {text('import.seeErrors', { count: job.openErrors, shown: count(job.openErrors) })}
            </ButtonLink>
          </Bar>
        )}
        {!job.undoOf && <Stale job={job} names={names} />}
        {refusal ? (
          <p>{text(refusal)}</p>
        ) : (
          job.updatedCount > 0 &&
          !job.undoOf && (
            <Bar fields>
              <Select
                label={text('changes.stale')}
                value={onStale}
                onChange={(id) => setOnStale(id as typeof onStale)}
                choices={ways.map((id) => ({ id, name: text(`changes.stale.${id}`) }))}
              />
            </Bar>
          )
        )}
        {apply.error && (
          <p role="alert" className={css.refusal}>
            {apply.error.message}
          </p>
        )}
        <Bar>
          {!refusal && (
            <Button look="primary" isDisabled={!digest} isPending={apply.isPending} onPress={doIt}>
              {action()}
            </Button>
          )}
          {(!isOwn || refusal) && (
            <Button look={refusal ? 'primary' : 'secondary'} onPress={share}>
              <Link2 aria-hidden />
              {text('changes.share')}
            </Button>
          )}
        </Bar>
      </Stack>
    </Panel>
  )
}

/** Why this person cannot approve the plan, as far as that is known before the API is asked. */
function useRefusal({ plan, uploader }: ImportJob) {
  const { data: me } = useQuery(meQuery)
  if (!me) return null
  if (!me.scopes.includes('imports:approve')) return 'changes.approve.scope'
  return plan?.approval === 'other' && uploader !== null && uploader === me.subject ? 'changes.approve.mine' : null
}
