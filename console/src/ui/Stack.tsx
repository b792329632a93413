import type { ReactNode } from 'react'
import css from './Stack.module.css'

/** Parts of a screen below each other. */
export function Stack({ children }: { children: ReactNode }) {
  return <div className={css.stack}>{children}</div>
}

/** What stands beside each other as long as there is room: fields, or buttons at the `end`. */
export function Bar({ end, fields, children }: { end?: boolean; fields?: boolean; children: ReactNode }) {
  return <div className={`${css.bar} ${end ? css.end : ''} ${fields ? css.fields : ''}`}>{children}</div>
}
