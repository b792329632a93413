import { useQuery } from '@tanstack/react-query'
import { BookMarked } from 'lucide-react'
import { profilesQuery } from '@/api/imports'
import { useText } from '@/i18n/messages'
import type { Head } from '@/reader/look'
import { Button } from '@/ui'
import css from './Glance.module.css'
import { fitting } from './fitting'

type ProfileNoteProps = { typeName: string; head: Head; onTake: (name: string) => void }

/** The profile for files with these headers: it is applied by itself, or can be taken. Nothing without one. */
export function ProfileNote({ typeName, head, onTake }: ProfileNoteProps) {
  const text = useText()
  const { data: profiles = [] } = useQuery(profilesQuery(typeName))
  const found = fitting(profiles, head.detected.header ?? [])
  if (!found) return null
  return (
    <div className={css.profile} role="status">
      <BookMarked aria-hidden />
      <p>{text(found.auto ? 'new.profile.applies' : 'new.profile.fits', { name: found.name })}</p>
      {!found.auto && (
        <Button size="small" onPress={() => onTake(found.name)}>
          {text('new.profile.take')}
        </Button>
      )}
    </div>
  )
}
