import { useQueries } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { hasEnded, importQuery, type ImportJob } from '@/api/imports'
import { useText } from '@/i18n/messages'
import { notices } from '@/ui'

/** Maximum number of imports that are followed: the last ones viewed. */
const most = 5
/** Poll interval and display time of a notice, in milliseconds. */
const [every, stays] = [5_000, 12_000]

/** Shows a notice when an import ends that this person viewed and left before its end. */
export function useEndNotices(): void {
  const text = useText()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const here = /^\/imports\/([0-9a-f-]{36})/.exec(pathname)?.[1]
  const [followed, setFollowed] = useState<string[]>([])
  const underWay = useRef(new Set<string>())
  if (here && followed.at(-1) !== here) setFollowed([...followed.filter((id) => id !== here), here].slice(-most))
  const jobs = useQueries({
    queries: followed
      .filter((id) => id !== here)
      .map((id) => ({
        ...importQuery(id),
        refetchInterval: ({ state: { data } }: { state: { data?: ImportJob | undefined } }) =>
          data && hasEnded(data) ? false : every,
      })),
    combine: (answers) => answers.flatMap(({ data }) => data ?? []),
  })
  const look = useEffectEvent((job: ImportJob) => {
    if (!hasEnded(job)) return void underWay.current.add(job.identifier)
    if (!underWay.current.delete(job.identifier)) return
    const { tone, name } = endOf(job)
    notices.add(
      {
        tone,
        title: text(name, { file: job.originalFilename, count: job.errorCount }),
        action: { name: text('layout.open'), onPress: () => void navigate(`/imports/${job.identifier}`) },
      },
      { timeout: stays },
    )
  })
  useEffect(() => jobs.forEach(look), [jobs])
}

/** The notice about the end of an import. */
function endOf({ status, errorCount, dryRun }: ImportJob) {
  if (status === 'FAILED') return { tone: 'bad', name: 'layout.ended.bad' } as const
  if (status === 'CANCELLED') return { tone: 'wait', name: 'layout.ended.cancelled' } as const
  if (dryRun) return { tone: 'good', name: 'layout.ended.checked' } as const
  return errorCount > 0
    ? ({ tone: 'wait', name: 'layout.ended.faulty' } as const)
    : ({ tone: 'good', name: 'layout.ended.good' } as const)
}
