import { useState, type RefObject } from 'react'
import { Dialog, Popover } from 'react-aria-components'
import { useLanguage } from '@/i18n/Language'
import { choosableLocales, locales, type Locale } from '@/i18n/locales'
import { useText } from '@/i18n/messages'
import { chosenTheme, setTheme, type Theme } from '@/theme/theme'
import { Select } from '@/ui'
import css from './Appearance.module.css'

const themes: Theme[] = ['system', 'light', 'dark']

/** Selects for language and theme. */
export default function Chooser({ beside, onClose }: { beside: RefObject<HTMLElement | null>; onClose: () => void }) {
  const text = useText()
  const { locale, setLocale } = useLanguage()
  const [theme, show] = useState(chosenTheme)
  return (
    <Popover
      isOpen
      triggerRef={beside}
      onOpenChange={(open) => !open && onClose()}
      placement="top start"
      className={css.popover ?? ''}
    >
      <Dialog className={css.dialog ?? ''} aria-label={`${text('layout.language')}, ${text('layout.theme')}`}>
        <Select
          label={text('layout.language')}
          value={locale}
          onChange={(id) => setLocale(id as Locale)}
          choices={choosableLocales(locale).map((id) => ({ id, name: locales[id] }))}
        />
        <Select
          label={text('layout.theme')}
          value={theme}
          choices={themes.map((id) => ({ id, name: text(`layout.theme.${id}`) }))}
          onChange={(id) => {
            setTheme(id as Theme)
            show(id as Theme)
          }}
        />
      </Dialog>
    </Popover>
  )
}
