import type { ReactNode } from 'react'
import css from './States.module.css'

type FaceProps = { icon: ReactNode; title: string; children?: ReactNode; actions?: ReactNode }

/** The empty state of a screen, with the reason and a next step. */
export function EmptyState({ icon, title, children, actions }: FaceProps) {
  return (
    <div className={css.face}>
      <span className={css.icon} aria-hidden>
        {icon}
      </span>
      <h2>{title}</h2>
      {children && <div className={css.words}>{children}</div>}
      {actions && <div className={css.actions}>{actions}</div>}
    </div>
  )
}

/** The error state of a screen. Screen readers announce it. */
export function ErrorState(props: FaceProps) {
  return (
    <div role="alert" className={css.error}>
      <EmptyState {...props} />
    </div>
  )
}

/** A placeholder for loading content, which prevents layout shifts. */
export function Skeleton({ label, lines = 6 }: { label: string; lines?: number }) {
  return (
    <div className={css.skeleton} role="status" data-loading>
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className={css.line} aria-hidden />
      ))}
    </div>
  )
}
