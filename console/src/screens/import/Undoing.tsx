import { Undo2 } from 'lucide-react'
import { Link } from 'react-router'
import type { ImportJob } from '@/api/imports'
import { useText } from '@/i18n/messages'
import css from './Overview.module.css'

/** Links an undo with the import that it undid; nothing for other imports. */
export function Undoing({ job: { undoOf, undoneBy } }: { job: ImportJob }) {
  return (
    <>
      {undoOf && <Note to={undoOf} name="import.undoOf" link="import.undoOf.link" />}
      {undoneBy && (
        <Note
          to={undoneBy.identifier}
          name={undoneBy.whole ? 'import.undoneBy' : 'import.undoneBy.part'}
          link="import.undoneBy.link"
        />
      )}
    </>
  )
}

type NoteProps = {
  to: string
  name: 'import.undoOf' | 'import.undoneBy' | 'import.undoneBy.part'
  link: 'import.undoOf.link' | 'import.undoneBy.link'
}

function Note({ to, name, link }: NoteProps) {
  const text = useText()
  return (
    <p className={css.note}>
      <Undo2 aria-hidden />
      <span>
        {text(name)} <Link to={`/imports/${to}`}>{text(link)}</Link>
      </span>
    </p>
  )
}
