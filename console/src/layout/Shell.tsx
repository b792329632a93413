import { KeyRound, ServerOff, WifiOff } from 'lucide-react'
import { onlineManager } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, useSyncExternalStore } from 'react'
import { Outlet, ScrollRestoration, useLocation, useMatches } from 'react-router'
import { useIsLost } from '@/app/connection'
import type { Handle } from '@/app/routes'
import { session } from '@/app/session'
import { useIsTouring } from '@/app/tour'
import { useText } from '@/i18n/messages'
import { Button, ErrorState, notices, Toasts } from '@/ui'
import { DropAnywhere } from './DropAnywhere'
import { Navigation } from './Navigation'
import { Shortcuts } from './Shortcuts'
import { Tooltips } from './Tooltips'
import css from './Shell.module.css'
import { useEndNotices } from './useEndNotices'
import { useKeepFocus } from './useKeepFocus'
import { useWaitingNotices } from './useWaitingNotices'

const Tour = lazy(() => import('@/screens/tour/Tour'))

/** The frame of all screens: navigation, notices, and the messages for a lost network or session. */
export function Shell() {
  const text = useText()
  const state = useSyncExternalStore(session.subscribe, session.state)
  const online = useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  )
  const isLost = useIsLost()
  const isTouring = useIsTouring()
  const main = useFocusOnNavigation()
  useKeepFocus(main)
  const isWide = useMatches().some(({ handle }) => (handle as Handle | undefined)?.wide)
  useWaitingNotices()
  useEndNotices()
  return (
    <div className={css.shell}>
      <a className={css.skip} href="#main">
        {text('layout.skip')}
      </a>
      <Navigation />
      <main id="main" className={css.main} tabIndex={-1} ref={main}>
        {!online && (
          <p role="status" className={css.offline}>
            <WifiOff aria-hidden />
            {text('layout.offline')}
          </p>
        )}
        {online && isLost && (
          <p role="status" className={css.offline}>
            <ServerOff aria-hidden />
            {text('layout.lost')}
          </p>
        )}
        <div className={css.content} data-wide={isWide || undefined}>
          {state === 'active' && isTouring && (
            <Suspense fallback={null}>
              <Tour />
            </Suspense>
          )}
          {state === 'active' ? <Outlet /> : <SignedOut state={state} />}
        </div>
      </main>
      {state === 'active' && <DropAnywhere />}
      {state === 'active' && <Shortcuts />}
      <Tooltips />
      <Toasts label={text('layout.notices')} close={text('layout.close')} />
      <ScrollRestoration />
    </div>
  )
}

/** The message after a session has expired or sign-in has failed. */
function SignedOut({ state }: { state: 'expired' | 'refused' }) {
  const text = useText()
  return (
    <ErrorState
      icon={<KeyRound />}
      title={text(`face.${state}`)}
      actions={
        <Button look="primary" onPress={() => session.signIn()}>
          {text('face.signIn')}
        </Button>
      }
    >
      {text(`face.${state}.about`)}
    </ErrorState>
  )
}

/** Moves the focus to the start of a new screen. A changed filter is not a new screen. */
function useFocusOnNavigation() {
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const before = useRef(pathname)
  useEffect(() => {
    if (before.current !== pathname) {
      main.current?.focus({ preventScroll: true })
      notices.leave()
    }
    before.current = pathname
  }, [pathname])
  return main
}
