import { useQuery } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { meQuery } from '@/api/imports'
import { session } from '@/app/session'
import { useText } from '@/i18n/messages'
import css from './Account.module.css'

/** The signed-in person and the sign-out button; nothing if sign-in is disabled. */
export function Account() {
  const text = useText()
  const signedIn = useSyncExternalStore(session.subscribe, () => session.signedIn)
  const { data: me } = useQuery({ ...meQuery, enabled: signedIn })
  if (!signedIn) return null
  return (
    <div className={css.account}>
      <p className={css.who}>
        <strong>{me?.organisationName ?? ' '}</strong>
        <span>{me?.subject}</span>
      </p>
      <button
        type="button"
        className={css.leave}
        aria-label={text('layout.signOut')}
        title={text('layout.signOut')}
        onClick={() => void session.signOut()}
      >
        <LogOut aria-hidden />
      </button>
    </div>
  )
}
