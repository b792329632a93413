import { useQuery } from '@tanstack/react-query'
import { BookOpen, Plus, Radar, Search } from 'lucide-react'
import { Link, NavLink } from 'react-router'
import { meQuery, waitingQuery } from '@/api/imports'
import { useText } from '@/i18n/messages'
import { Account } from './Account'
import { Appearance } from './Appearance'
import { bounded } from './bounded'
import css from './Navigation.module.css'
import { places } from './places'
import { showPalette } from './Shortcuts'

const isApple = /Mac|iP(?:hone|ad)/.test(navigator.userAgent)

/** The navigation: at the side, or at the top of narrow screens. */
export function Navigation() {
  const text = useText()
  return (
    <div className={css.side}>
      <Link to="/" className={css.brand}>
        <Mark />
        Loadbay
      </Link>
      <nav aria-label={text('layout.navigation')} className={css.nav}>
        <Link to="/imports/new" className={css.new}>
          <Plus aria-hidden />
          <span>{text('layout.new')}</span>
        </Link>
        <button type="button" className={css.search} title={text('layout.search')} onClick={showPalette}>
          <Search aria-hidden />
          <span>{text('layout.search')}</span>
          <kbd aria-hidden>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
        {places.map(({ to, name, icon }) => (
          <NavLink key={to} to={to} end={to === '/'} className={css.place ?? ''} title={text(name)}>
            {icon}
            <span>{text(name)}</span>
            {to === '/' && <Waiting />}
          </NavLink>
        ))}
        <Operation />
      </nav>
      <div className={css.foot}>
        <a href="/docs" className={css.place}>
          <BookOpen aria-hidden />
          <span>{text('layout.reference')}</span>
        </a>
        <Appearance />
        <Account />
      </div>
    </div>
  )
}

/** For operators only. */
function Operation() {
  const text = useText()
  const { data: me } = useQuery(meQuery)
  return (
    me?.scopes.includes('admin') && (
      <NavLink to="/operator" className={css.place ?? ''} title={text('layout.operator')}>
        <Radar aria-hidden />
        <span>{text('layout.operator')}</span>
      </NavLink>
    )
  )
}

function Waiting() {
  const text = useText()
  const { data } = useQuery(waitingQuery)
  const count = data?.total ?? 0
  return (
    count > 0 && (
      <span className={css.count}>
        <span aria-hidden>{bounded(count)}</span>
        <span className="visually-hidden">{text('layout.waiting', { count })}</span>
      </span>
    )
  )
}

function Mark() {
  return (
    <svg className={css.mark} viewBox="0 0 32 32" aria-hidden>
      <path d="M6 5v17a4 4 0 0 0 4 4h17" fill="none" stroke="currentColor" strokeWidth="4" strokeLinecap="round" />
      <rect x="13" y="5" width="14" height="14" rx="3.4" fill="#f5b13d" />
    </svg>
  )
}
