import type { ReactNode } from 'react'
import css from './Badge.module.css'

/** The meaning of a badge; `wait` needs action by a person. */
export type Tone = 'neutral' | 'busy' | 'wait' | 'good' | 'bad'

/** A status label. The shape of the dot repeats the colour; it is animated while work is in progress. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={`${css.badge} ${css[tone]}`}>
      <span className={css.dot} aria-hidden />
      {children}
    </span>
  )
}
