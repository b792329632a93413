import type { ReactNode } from 'react'
import { useEffect } from 'react'
import css from './PageHeader.module.css'

type PageHeaderProps = {
  title: string
  /** Shown below the title: a description or facts. */
  about?: ReactNode
  /** Shown next to the title, such as a badge. */
  badge?: ReactNode
  /** Shown above the title: a link back. */
  back?: ReactNode
  actions?: ReactNode
}

/** The header of a screen. Its title is also the document title. */
export function PageHeader({ title, about, badge, back, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Loadbay`
  }, [title])
  return (
    <header className={css.header}>
      <div className={css.words}>
        {back && <div className={css.back}>{back}</div>}
        <div className={css.title}>
          <h1>{title}</h1>
          {badge}
        </div>
        {about && <div className={css.about}>{about}</div>}
      </div>
      {actions && <div className={css.actions}>{actions}</div>}
    </header>
  )
}
