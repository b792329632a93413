import type { ReactNode } from 'react'
import css from './Faces.module.css'

type FaceProps = { icon: ReactNode; title: string; children?: ReactNode; actions?: ReactNode }

/** What a screen shows where there is nothing yet: why, and what to do. */
export function EmptyState({ icon, title, children, actions }: FaceProps) {
  return (
    <div className={css.face}>
      <span className={css.icon} aria-hidden>{icon}</span>
      <h2>{title}</h2>
      {children && <div className={css.words}>{children}</div>}
      {actions && <div className={css.actions}>{actions}</div>}
    </div>
  )
}

/** What a screen shows where something failed. Screen readers announce it. */
export function ErrorState(props: FaceProps) {
  return <div role="alert" className={css.error}><EmptyState {...props} /></div>
}

/** Holds the place of what is being loaded, so that nothing moves when it comes. */
export function Skeleton({ label, lines = 6 }: { label: string; lines?: number }) {
  return (
    <div className={css.skeleton} role="status" data-loading>
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, line) => <span key={line} className={css.line} aria-hidden />)}
    </div>
  )
}
