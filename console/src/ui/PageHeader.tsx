import type { ReactNode } from 'react'
import { useEffect } from 'react'
import css from './PageHeader.module.css'

type PageHeaderProps = {
  title: string
  /** Below the title: what the screen is about, or facts of what it shows. */
  about?: ReactNode
  /** Beside the title, as a badge. */
  badge?: ReactNode
  /** Above the title: where one comes from. */
  back?: ReactNode
  actions?: ReactNode
}

/** The head of a screen. Its title is the page's in the browser, too. */
export function PageHeader({ title, about, badge, back, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Loadbay`
  }, [title])
  return (
    <header className={css.header}>
      <div className={css.words}>
        {back && <div className={css.back}>{back}</div>}
        <div className={css.title}><h1>{title}</h1>{badge}</div>
        {about && <div className={css.about}>{about}</div>}
      </div>
      {actions && <div className={css.actions}>{actions}</div>}
    </header>
  )
}
