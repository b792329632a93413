import { Settings2 } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { useLanguage } from '@/i18n/Language'
import { locales } from '@/i18n/locales'
import css from './Appearance.module.css'

const Chooser = lazy(() => import('./Chooser'))

/** Language and theme of this machine. The chooser is loaded on first use. */
export function Appearance() {
  const { locale } = useLanguage()
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button
        type="button"
        ref={button}
        className={css.open}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <Settings2 aria-hidden />
        <span>{locales[locale]}</span>
      </button>
      {open && (
        <Suspense>
          <Chooser beside={button} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
