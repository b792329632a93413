import type { ReactNode } from 'react'
import css from './Stack.module.css'

/** Stacks elements vertically. */
export function Stack({ children }: { children: ReactNode }) {
  return <div className={css.stack}>{children}</div>
}

/** Places elements in a row that wraps: fields, or buttons at the `end`. */
export function Bar({ end, fields, children }: { end?: boolean; fields?: boolean; children: ReactNode }) {
  return <div className={`${css.bar} ${end ? css.end : ''} ${fields ? css.fields : ''}`}>{children}</div>
}
