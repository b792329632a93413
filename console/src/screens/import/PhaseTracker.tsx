import { Check, X } from 'lucide-react'
import { hasEnded, useReadAgain, waits, type ImportJob } from '@/api/imports'
import { useText } from '@/i18n/messages'
import { sameReading } from '../source/change'
import css from './PhaseTracker.module.css'
import { stepOf, stepsOf } from './state'

/** The steps of an import that has not completed, and the current one. */
export function PhaseTracker({ job }: { job: ImportJob }) {
  const text = useText()
  const steps = stepsOf(job)
  const at = steps.indexOf(stepOf(job))
  const look = (place: number) => {
    if (place < at || job.status === 'COMPLETED') return 'done'
    if (place > at) return 'next'
    return hasEnded(job) ? 'stopped' : 'current'
  }
  if (job.status === 'COMPLETED') return null
  return (
    <ol className={css.phases} aria-label={text('import.phases')}>
      {steps.map((step, place) => (
        <li
          key={step}
          className={`${css.phase} ${css[look(place)]} ${waits(job) && place === at ? css.waits : ''}`}
          aria-current={place === at ? 'step' : undefined}
        >
          <span className={css.mark} aria-hidden>
            {look(place) === 'done' ? <Check /> : look(place) === 'stopped' ? <X /> : place + 1}
          </span>
          <span className={css.name}>
            {step === 'columns' && <BackToColumns job={job} name={text('import.phase.columns')} />}
            {step !== 'columns' && text(`import.phase.${step}`)}
            <span className="visually-hidden">, {text(`import.phase.state.${look(place)}`)}</span>
          </span>
        </li>
      ))}
    </ol>
  )
}

/** The name of the step with the columns. While values are matched, it is a button that returns to it. */
function BackToColumns({ job, name }: { job: ImportJob; name: string }) {
  const again = useReadAgain(job.identifier)
  const same = job.waitingFor === 'CELL_MAPPINGS' ? sameReading(job) : null
  if (!same) return name
  return (
    <button type="button" className={css.back} disabled={again.isPending} onClick={() => again.mutate(same)}>
      {name}
    </button>
  )
}
