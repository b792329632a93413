import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { find, hasSingleKeys, shortcutOf, step } from './keyboard'

const Palette = lazy(() => import('./Palette'))
const Keys = lazy(() => import('./Keys'))

/** The event that opens the palette from a button. */
const openPalette = 'loadbay:palette'
export const showPalette = () => dispatchEvent(new Event(openPalette))

/** The keyboard shortcuts of all screens, with the palette and the list of shortcuts, which are loaded on first use. */
export function Shortcuts() {
  const navigate = useNavigate()
  const [shown, setShown] = useState<'palette' | 'keys' | null>(null)
  const press = useEffectEvent((event: KeyboardEvent) => {
    const shortcut = shortcutOf(event, hasSingleKeys())
    if (!shortcut || shown) return
    event.preventDefault()
    if (shortcut === 'new') void navigate('/imports/new')
    else if (shortcut === 'help') setShown('keys')
    else if (shortcut === 'next') step(1)
    else if (shortcut === 'previous') step(-1)
    else if (shortcut === 'search' || !find()) setShown('palette')
  })
  useEffect(() => {
    const open = () => setShown('palette')
    addEventListener('keydown', press)
    addEventListener(openPalette, open)
    return () => {
      removeEventListener('keydown', press)
      removeEventListener(openPalette, open)
    }
  }, [])
  const close = () => setShown(null)
  return (
    <Suspense>
      {shown === 'palette' && <Palette onClose={close} onKeys={() => setShown('keys')} />}
      {shown === 'keys' && <Keys onClose={close} />}
    </Suspense>
  )
}
