import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { waitingQuery } from '@/api/imports'
import { useText } from '@/i18n/messages'
import { notices } from '@/ui'

/** Shows a notice when an import starts to wait for a person, except for the import on screen. */
export function useWaitingNotices(): void {
  const text = useText()
  const navigate = useNavigate()
  const { data } = useQuery(waitingQuery)
  const known = useRef<Set<string> | null>(null)
  useEffect(() => {
    if (!data) return
    for (const job of data.imports) {
      const path = `/imports/${job.identifier}`
      if (!known.current || known.current.has(job.identifier) || location.pathname.startsWith(path)) continue
      notices.add(
        {
          tone: 'wait',
          title: text('layout.waits', { file: job.originalFilename }),
          action: { name: text('layout.open'), onPress: () => void navigate(path) },
        },
        { timeout: 12_000 },
      )
    }
    known.current = new Set(data.imports.map((job) => job.identifier))
  }, [data, navigate, text])
}
