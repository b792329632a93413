import type { ImportJob } from '@/api/imports'
import { hasEnded } from '@/api/imports'

/** The steps of the tour, in order. */
export const tourSteps = ['choose', 'begin', 'columns', 'preview', 'fix', 'done'] as const
export type TourStep = (typeof tourSteps)[number]

type Shown = Pick<ImportJob, 'status' | 'waitingFor' | 'openErrors'>

/** The step for a screen and, on the screens of an import, its state. */
export function tourStep(pathname: string, job: Shown | undefined): TourStep {
  if (pathname === '/imports/new') return 'begin'
  if (!/^\/imports\/[^/]+/.test(pathname)) return 'choose'
  if (!job) return 'columns'
  if (job.waitingFor === 'APPROVAL') return pathname.endsWith('/rows') ? 'fix' : 'preview'
  if (!hasEnded(job)) return 'columns'
  return job.status === 'COMPLETED' && job.openErrors > 0 ? 'fix' : 'done'
}
