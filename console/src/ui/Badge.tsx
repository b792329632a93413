import type { ReactNode } from 'react'
import css from './Badge.module.css'

/** What a badge means: `wait` needs a person. */
export type Tone = 'neutral' | 'busy' | 'wait' | 'good' | 'bad'

/** A state in a word or two. The dot repeats in shape what the colour says: it moves while something is going on. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`${css.badge} ${css[tone]}`}><span className={css.dot} aria-hidden />{children}</span>
}
