import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { api, type Schema } from '@/api/client'
import { answered } from '@/api/problem'
import { sendByBrowser, Upload } from './upload'

/** What a person has said about an import to begin. */
export type Draft = { importType: string; contextId?: number; mode?: Schema<'Mode'>; dryRun: boolean; file: File }

/** Where beginning an import stands. */
export type Standing =
  | { is: 'idle' }
  | { is: 'refused'; error: Error }
  | { is: 'sending' | 'paused'; sent: number }
  | { is: 'interrupted'; sent: number; error: Error }

/** Announces an import, sends its file, and then shows it. */
export function useBegin() {
  const [standing, setStanding] = useState<Standing>({ is: 'idle' })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const run = useRef<() => Promise<void>>(undefined)
  const pausing = useRef<AbortController>(undefined)
  const sent = useRef(0)

  const goOn = async () => {
    pausing.current = new AbortController()
    setStanding({ is: 'sending', sent: sent.current })
    try {
      await run.current?.()
    } catch (error) {
      const paused = error instanceof DOMException && error.name === 'AbortError'
      setStanding(paused ? { is: 'paused', sent: sent.current } : { is: 'interrupted', sent: sent.current, error: error as Error })
    }
  }

  const begin = async ({ file, ...said }: Draft) => {
    setStanding({ is: 'sending', sent: 0 })
    try {
      const job = await answered(api.POST('/api/imports', { params: { header: { 'Idempotency-Key': crypto.randomUUID() } }, body: { ...said, filename: file.name, sizeBytes: file.size } }))
      const destination = job.upload!
      const upload = new Upload(file, destination, sendByBrowser, (bytes) => { sent.current = bytes; setStanding({ is: 'sending', sent: bytes }) })
      run.current = async () => {
        await upload.run(pausing.current!.signal)
        if ('parts' in destination) {
          await answered(api.POST('/api/imports/{uuid}/upload/complete', { params: { path: { uuid: job.identifier }, query: { uploadId: destination.uploadId } } }))
        }
        void queries.invalidateQueries({ queryKey: ['imports'] })
        await navigate(`/imports/${job.identifier}`)
      }
    } catch (error) {
      setStanding({ is: 'refused', error: error as Error })
      return
    }
    await goOn()
  }

  return { standing, begin, goOn, pause: () => pausing.current?.abort() }
}
