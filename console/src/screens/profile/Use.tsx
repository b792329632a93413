import { useState } from 'react'
import { useChangeProfile, type Profile } from '@/api/profiles'
import { follow } from '@/app/follow'
import { useText } from '@/i18n/messages'
import { ImportOptions } from '@/import-options/ImportOptions'
import { changedOptions, optionsOf } from '@/import-options/options'
import { Bar, Button, Check, Field, notices, Stack } from '@/ui'

/** The name and use of a profile. A change creates a new version. */
export function Use({ profile }: { profile: Profile }) {
  const text = useText()
  const [name, setName] = useState(profile.name)
  const [auto, setAuto] = useState(profile.auto)
  const change = useChangeProfile(profile)
  const before = optionsOf(profile)
  const [options, setOptions] = useState(before)
  const changes = {
    ...(name.trim() !== profile.name && { name: name.trim() }),
    ...(auto !== profile.auto && { auto }),
    ...changedOptions(options, before),
  }
  const keep = () =>
    follow(change.mutateAsync(changes), ({ version }) => notices.add({ title: text('profile.kept', { version }) }))
  return (
    <Stack>
      <Bar fields>
        <Field label={text('profiles.name')} maxLength={100} value={name} onChange={setName} isRequired />
      </Bar>
      <Check isSelected={auto} onChange={setAuto} isDisabled={profile.headers.length === 0}>
        {text('profile.auto')}
      </Check>
      <ImportOptions stated={options} onChange={setOptions} />
      <Bar>
        <Button
          look="primary"
          isDisabled={Object.keys(changes).length === 0 || !name.trim()}
          isPending={change.isPending}
          onPress={keep}
        >
          {text('profile.keep')}
        </Button>
      </Bar>
    </Stack>
  )
}
