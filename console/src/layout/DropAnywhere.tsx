import { UploadCloud } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { isTable, offerFile } from '@/app/incoming'
import { useText } from '@/i18n/messages'
import css from './Shell.module.css'

/** Where pasted text belongs to the page itself. */
const writable = 'input, textarea, [contenteditable], [role=grid], [role=dialog]'

/** Takes a file that is dropped on any screen, or pasted outside of fields and grids, to New import. */
export function DropAnywhere() {
  const text = useText()
  const navigate = useNavigate()
  const [isOver, setOver] = useState(false)
  const take = useEffectEvent((file: File) => {
    offerFile(file)
    void navigate('/imports/new')
  })
  const nameOfPaste = useEffectEvent(() => text('new.paste.name'))
  useEffect(() => {
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault() // otherwise the browser opens the file
      setOver(true)
    }
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false)
    const end = () => setOver(false)
    const drop = (event: DragEvent) => {
      const file = event.dataTransfer?.files[0]
      if (!hasFiles(event) || event.defaultPrevented) return // a zone of the screen has taken it
      event.preventDefault()
      if (file) take(file)
    }
    const paste = ({ target, clipboardData }: ClipboardEvent) => {
      if (!clipboardData || (target instanceof Element && target.closest(writable))) return
      const [file] = clipboardData.files
      const words = clipboardData.getData('text/plain')
      if (file) take(file)
      else if (isTable(words)) take(new File([words], nameOfPaste(), { type: 'text/csv' }))
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', end, true)
    addEventListener('drop', drop)
    addEventListener('paste', paste)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', end, true)
      removeEventListener('drop', drop)
      removeEventListener('paste', paste)
    }
  }, [])
  return (
    isOver && (
      <div className={css.over} aria-hidden>
        <UploadCloud />
        {text('layout.drop.here')}
      </div>
    )
  )
}
