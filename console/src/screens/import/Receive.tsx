import { useQuery } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { FileTrigger } from 'react-aria-components'
import { pendingUploadQuery, type ImportJob } from '@/api/imports'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Button, Panel, Progress } from '@/ui'
import { accepted } from '@/upload/formats'
import { Sending } from '@/upload/Sending'
import { useSending } from '@/upload/useSending'
import css from './Overview.module.css'

/** Time after which an uploaded file should be registered, in milliseconds. */
const noticed = 3_000

type ReceiveProps = { job: ImportJob; children: ReactNode }

/** Resumes an upload after a reload or on another machine; renders its children if the file needs no upload. */
export function Receive({ job, children }: ReceiveProps) {
  const text = useText()
  const { size } = useFormat()
  const late = useLater(noticed)
  // The size of a file that is fetched from a URL is unknown until it has arrived.
  const { data: pending } = useQuery({ ...pendingUploadQuery(job.identifier), enabled: late && job.sizeBytes > 0 })
  const [file, setFile] = useState<File | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const { state, begin, goOn, pause } = useSending(() => setFile(null))
  if (file && state.is !== 'idle')
    return <Sending file={file} state={state} onPause={pause} onGoOn={() => void goOn()} />
  if (!pending) return children
  const take = (chosen: File | undefined) => {
    if (!chosen) return
    const other = chosen.size !== pending.sizeBytes
    setFault(other ? text('upload.other', { size: size(chosen.size), wanted: size(pending.sizeBytes) }) : null)
    if (other) return
    setFile(chosen)
    void begin({ id: job.identifier, file: chosen, destination: pending.upload, arrived: pending.arrivedBytes })
  }
  return (
    <Panel title={text('upload.open')}>
      <p className={css.stand}>
        {text('upload.open.about', {
          file: job.originalFilename,
          arrived: size(pending.arrivedBytes),
          size: size(pending.sizeBytes),
        })}
      </p>
      {pending.arrivedBytes > 0 && (
        <Progress
          size="thick"
          label={text('upload.open')}
          percent={(100 * pending.arrivedBytes) / pending.sizeBytes}
          tone="wait"
        />
      )}
      {fault && (
        <p role="alert" className={css.fault}>
          {fault}
        </p>
      )}
      <div className={css.actions}>
        <FileTrigger acceptedFileTypes={accepted} onSelect={(files) => take(files?.[0])}>
          <Button look="primary">
            <FileUp aria-hidden />
            {text('upload.again')}
          </Button>
        </FileTrigger>
      </div>
    </Panel>
  )
}

/** Whether this many milliseconds have passed since the first render. */
function useLater(delay: number): boolean {
  const [passed, setPassed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), delay)
    return () => clearTimeout(timer)
  }, [delay])
  return passed
}
