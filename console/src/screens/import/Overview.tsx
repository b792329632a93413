import { TriangleAlert } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { hasEnded } from '@/api/imports'
import { useText } from '@/i18n/messages'
import { ErrorState, Panel, Skeleton } from '@/ui'
import { Counters } from './Counters'
import { Details } from './Details'
import { useImport } from './Frame'
import { Receive } from './Receive'
import { Remember } from './Remember'
import { Undoing } from './Undoing'
import css from './Overview.module.css'

const Columns = lazy(() => import('../columns/Columns'))
const Values = lazy(() => import('../values/Values'))
const StaleRows = lazy(() => import('./StaleRows').then((module) => ({ default: module.StaleRows })))
const Preview = lazy(() => import('../changes/Changes').then(({ Component }) => ({ default: Component })))

/** The overview of an import: open questions, progress and results. */
export function Component() {
  const text = useText()
  const job = useImport()
  return (
    <div className={css.overview}>
      <Undoing job={job} />
      {job.failure && (
        <ErrorState icon={<TriangleAlert />} title={job.failure.message}>
          <code>{job.failure.code}</code>
        </ErrorState>
      )}
      {job.phase === 'RECEIVING' && (
        <Receive job={job}>
          <Counters job={job} />
        </Receive>
      )}
      <Suspense fallback={<Skeleton label={text('face.loading')} lines={12} />}>
        {job.waitingFor === 'COLUMN_MAPPINGS' && <Columns job={job} />}
        {job.waitingFor === 'CELL_MAPPINGS' && <Values job={job} />}
      </Suspense>
      {(job.processedRows > 0 ||
        (!job.waitingFor && !hasEnded(job) && job.phase !== 'RECEIVING') ||
        job.status === 'COMPLETED') && <Counters job={job} />}
      {job.plan?.appliedAt && hasEnded(job) && job.skippedCount > 0 && !job.undoOf && (
        <Suspense fallback={null}>
          <StaleRows job={job} />
        </Suspense>
      )}
      {job.warnings.length > 0 && (
        <Panel title={text('import.warnings')}>
          <ul className={css.warnings}>
            {job.warningTexts.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Panel>
      )}
      {job.waitingFor === 'APPROVAL' && (
        <Suspense fallback={<Skeleton label={text('face.loading')} lines={12} />}>
          <Preview />
        </Suspense>
      )}
      <Remember job={job} />
      <Details job={job} />
    </div>
  )
}
