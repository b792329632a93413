import { useQuery } from '@tanstack/react-query'
import { FileSpreadsheet, Keyboard, Plus, Search, Wrench } from 'lucide-react'
import { useDeferredValue, useId, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { useNavigate } from 'react-router'
import { importsQuery, meQuery } from '@/api/imports'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import css from './Palette.module.css'
import { places } from './places'

type Entry = { id: string; name: string; about?: string; icon: ReactNode; run: () => void }

/** The number of imports that are listed. */
const most = 8

/** Finds screens, actions and imports by name. */
export default function Palette({ onClose, onKeys }: { onClose: () => void; onKeys: () => void }) {
  const text = useText()
  const id = useId()
  const [words, setWords] = useState('')
  const [at, setAt] = useState(0)
  const entries = useEntries(words.trim(), onClose, onKeys)
  const active = Math.min(at, entries.length - 1)
  const optionId = (place: number) => `${id}-${place}`
  const press = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: active + 1, ArrowUp: active - 1 }
    const next = moves[event.key]
    if (event.key === 'Enter') entries[active]?.run()
    else if (next !== undefined && entries.length > 0) {
      setAt((next + entries.length) % entries.length)
      document.getElementById(optionId((next + entries.length) % entries.length))?.scrollIntoView({ block: 'nearest' })
    } else return
    event.preventDefault()
  }
  return (
    <ModalOverlay className={css.overlay ?? ''} isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className={css.modal ?? ''}>
        <Dialog className={css.dialog ?? ''} aria-label={text('layout.search')}>
          <div className={css.field}>
            <Search aria-hidden />
            <input
              autoFocus
              role="combobox"
              aria-label={text('layout.search')}
              aria-expanded
              aria-controls={id}
              aria-activedescendant={entries.length > 0 ? optionId(active) : undefined}
              placeholder={text('layout.search.hint')}
              value={words}
              maxLength={255}
              onChange={({ target }) => {
                setWords(target.value)
                setAt(0)
              }}
              onKeyDown={press}
            />
          </div>
          <ul id={id} role="listbox" aria-label={text('layout.search')} className={css.entries}>
            {entries.map((entry, place) => (
              <li
                key={entry.id}
                id={optionId(place)}
                role="option"
                aria-selected={place === active}
                onPointerMove={() => setAt(place)}
                onClick={entry.run}
              >
                {entry.icon}
                <span>{entry.name}</span>
                {entry.about && <small>{entry.about}</small>}
              </li>
            ))}
          </ul>
          {entries.length === 0 && (
            <p role="status" className={css.none}>
              {text('new.context.none')}
            </p>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

/** The screens and actions with these words in their names, and the imports of such files. */
function useEntries(words: string, onClose: () => void, onKeys: () => void): Entry[] {
  const text = useText()
  const { ago } = useFormat()
  const navigate = useNavigate()
  const { data: me } = useQuery(meQuery)
  const filename = useDeferredValue(words)
  const { data: found } = useQuery(importsQuery({ size: most, ...(filename && { filename }) }))
  const go = (to: string) => () => {
    onClose()
    void navigate(to)
  }
  const fixed: Entry[] = [
    { id: 'new', name: text('layout.new'), icon: <Plus aria-hidden />, run: go('/imports/new') },
    ...places.map(({ to, name, icon }) => ({ id: to, name: text(name), icon, run: go(to) })),
    ...(me?.scopes.includes('admin')
      ? [{ id: 'operator', name: text('layout.operator'), icon: <Wrench aria-hidden />, run: go('/operator') }]
      : []),
    { id: 'keys', name: text('layout.keys'), icon: <Keyboard aria-hidden />, run: onKeys },
  ]
  const imports = (found?.imports ?? []).map((job): Entry => ({
    id: job.identifier,
    name: job.originalFilename,
    about: ago(job.createdAt),
    icon: <FileSpreadsheet aria-hidden />,
    run: go(`/imports/${job.identifier}`),
  }))
  const isMeant = ({ name }: Entry) => name.toLowerCase().includes(words.toLowerCase())
  return [...fixed, ...imports].filter(isMeant)
}
