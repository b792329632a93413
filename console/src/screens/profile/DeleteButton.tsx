import { useNavigate } from 'react-router'
import { useDeleteProfile, type Profile } from '@/api/profiles'
import { follow } from '@/app/follow'
import { useText } from '@/i18n/messages'
import { Confirm } from '@/ui'

/** Deletes a profile after a confirmation. */
export function DeleteButton({ profile }: { profile: Profile }) {
  const text = useText()
  const leave = useNavigate()
  const deletion = useDeleteProfile(profile.id)
  const doIt = () => follow(deletion.mutateAsync(), () => void leave('/profiles'))
  return (
    <Confirm
      name={text('profile.delete')}
      title={text('profile.delete.title', { name: profile.name })}
      keep={text('profile.delete.keep')}
      isPending={deletion.isPending}
      onConfirm={doIt}
    >
      {text('profile.delete.about')}
    </Confirm>
  )
}
