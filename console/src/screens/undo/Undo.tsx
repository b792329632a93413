import { useQuery } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import type { Schema } from '@/api/client'
import { useUndo } from '@/api/changes'
import { hasEnded, importQuery, type ImportJob } from '@/api/imports'
import { follow } from '@/app/follow'
import { Loaded } from '@/app/Loaded'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { useImport } from '@/screens/import/Frame'
import { Badge, Bar, Button, Check, Panel, Progress, Select, Stack } from '@/ui'
import { Outcomes } from './Outcomes'
import { useRetriesText } from './useRetriesText'

const modes: Schema<'UndoMode'>[] = ['safe', 'cascade', 'force']

/** Undoes an import after a preview. The id of the preview is in the address. */
export function Component() {
  const text = useText()
  const { moment } = useFormat()
  const job = useImport()
  const [query, setQuery] = useSearchParams()
  const [mode, setMode] = useState<Schema<'UndoMode'>>('safe')
  const [retries, setRetries] = useState(false)
  const retriesText = useRetriesText()
  const preview = useUndo(job.identifier)
  const shown = query.get('preview')
  const look = () =>
    follow(preview.mutateAsync({ mode, retries, preview: true }), ({ identifier }) => setQuery({ preview: identifier }))
  if (!job.undoable)
    return (
      <Panel title={text('undo.title')}>
        <p>{job.notUndoable ? text(`undo.not.${job.notUndoable}`) : text('undo.not')}</p>
      </Panel>
    )
  return (
    <Stack>
      <Panel title={text('undo.title')}>
        <Stack>
          <p>
            {text('undo.about')}
            {job.undoUntil && ` ${text('undo.until', { when: moment(job.undoUntil) })}`}
          </p>
          <Bar fields>
            <Select
              label={text('undo.mode')}
              hint={text(`undo.mode.${mode}.about`)}
              value={mode}
              onChange={(id) => setMode(id as typeof mode)}
              choices={modes.map((id) => ({ id, name: text(`undo.mode.${id}`), about: text(`undo.mode.${id}.about`) }))}
            />
          </Bar>
          {job.undoRetries && (
            <Check isSelected={retries} onChange={setRetries}>
              {retriesText('undo.retries', job.undoRetries)}
            </Check>
          )}
          <Bar>
            <Button look={shown ? 'secondary' : 'primary'} isPending={preview.isPending} onPress={look}>
              {text('undo.preview')}
            </Button>
          </Bar>
        </Stack>
      </Panel>
      {shown && <Preview key={shown} job={job} id={shown} />}
    </Stack>
  )
}

function Preview({ job, id }: { job: ImportJob; id: string }) {
  const text = useText()
  const leave = useNavigate()
  const undo = useUndo(job.identifier)
  const retriesText = useRetriesText()
  const doIt = ({ undoMode, undoRetries }: ImportJob) =>
    follow(
      undo.mutateAsync({ mode: undoMode ?? 'safe', retries: undoRetries?.included ?? false, preview: false }),
      ({ identifier }) => void leave(`/imports/${identifier}`),
    )
  return (
    <Loaded query={useQuery(importQuery(id))} lines={3}>
      {(preview) => (
        <Panel title={text('undo.would')} actions={<Badge>{text(`undo.mode.${preview.undoMode ?? 'safe'}`)}</Badge>}>
          {!hasEnded(preview) ? (
            <Progress label={text('undo.looking')} percent={preview.totalRows > 0 ? preview.progressPercent : null} />
          ) : preview.failure ? (
            <p>{preview.failure.message}</p>
          ) : (
            <Stack>
              <Outcomes id={id} />
              {preview.undoRetries && (
                <p>
                  {retriesText(
                    preview.undoRetries.included ? 'undo.retries.included' : 'undo.retries.kept',
                    preview.undoRetries,
                  )}
                </p>
              )}
              <Bar>
                <Button look="danger" isPending={undo.isPending} onPress={() => doIt(preview)}>
                  <Undo2 aria-hidden />
                  {text('undo.do')}
                </Button>
              </Bar>
            </Stack>
          )}
        </Panel>
      )}
    </Loaded>
  )
}
