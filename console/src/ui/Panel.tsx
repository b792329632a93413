import type { ReactNode } from 'react'
import css from './Panel.module.css'

/** A framed section of a screen with an optional title. */
export function Panel({ title, actions, children }: { title?: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={css.panel}>
      {title && (
        <header className={css.header}>
          <h2>{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  )
}
