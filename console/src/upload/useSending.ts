import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '@/api/client'
import { answered } from '@/api/problem'
import { sendByBrowser, Upload, type Destination } from './upload'

/** Progress of an upload. */
export type SendingState =
  { is: 'idle' } | { is: 'sending' | 'paused'; sent: number } | { is: 'interrupted'; sent: number; error: Error }

/** The file of an import and its destination; `arrived` is the number of bytes already uploaded. */
export type Consignment = { id: string; file: File; destination: Destination; arrived?: number }

/** Uploads the file of an import and calls `done` with its id after the last byte. Leaving the page during the upload asks for confirmation. */
export function useSending(done: (id: string) => Promise<void> | void) {
  const [state, setState] = useState<SendingState>({ is: 'idle' })
  const queries = useQueryClient()
  const run = useRef<() => Promise<void>>(undefined)
  const pausing = useRef<AbortController>(undefined)
  const sent = useRef(0)
  useWarning(state.is === 'sending')

  const goOn = async () => {
    pausing.current = new AbortController()
    setState({ is: 'sending', sent: sent.current })
    try {
      await run.current?.()
    } catch (error) {
      const paused = error instanceof DOMException && error.name === 'AbortError'
      setState(
        paused
          ? { is: 'paused', sent: sent.current }
          : { is: 'interrupted', sent: sent.current, error: error as Error },
      )
    }
  }

  const begin = async ({ id, file, destination, arrived = 0 }: Consignment) => {
    sent.current = arrived
    const upload = new Upload(
      file,
      destination,
      sendByBrowser,
      (bytes) => {
        sent.current = bytes
        setState({ is: 'sending', sent: bytes })
      },
      arrived,
    )
    run.current = async () => {
      await upload.run(pausing.current!.signal)
      if ('parts' in destination) {
        await answered(
          api.POST('/api/imports/{importId}/upload/complete', {
            params: { path: { importId: id }, query: { uploadId: destination.uploadId } },
          }),
        )
      }
      await done(id) // the viewer of this import needs no notice that it waits
      void queries.invalidateQueries({ queryKey: ['imports'] })
      void queries.invalidateQueries({ queryKey: ['import', id] })
    }
    await goOn()
  }

  return { state, begin, goOn, pause: () => pausing.current?.abort() }
}

/** Makes the browser ask for confirmation before it leaves the page. */
function useWarning(active: boolean): void {
  useEffect(() => {
    if (!active) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [active])
}
