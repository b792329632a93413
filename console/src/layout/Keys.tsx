import { useState } from 'react'
import { useText } from '@/i18n/messages'
import { Button, Check, Dialog } from '@/ui'
import css from './Palette.module.css'
import { hasSingleKeys, setSingleKeys, singleKeys } from './keyboard'

/** The list of shortcuts, of which the single keys can be switched off. */
export default function Keys({ onClose }: { onClose: () => void }) {
  const text = useText()
  const [isOn, setOn] = useState(hasSingleKeys)
  const keys = [['Ctrl K, ⌘ K', 'search'] as const, ...(isOn ? singleKeys : [])]
  return (
    <Dialog
      title={text('layout.keys')}
      isOpen
      onClose={onClose}
      actions={<Button onPress={onClose}>{text('layout.close')}</Button>}
    >
      <dl className={css.keys}>
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text(`layout.keys.${does}`)}</dd>
          </div>
        ))}
      </dl>
      <Check
        isSelected={isOn}
        onChange={(on) => {
          setSingleKeys(on)
          setOn(on)
        }}
      >
        {text('layout.keys.single')}
      </Check>
    </Dialog>
  )
}
