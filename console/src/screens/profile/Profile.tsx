import { useQuery } from '@tanstack/react-query'
import { ChevronLeft } from 'lucide-react'
import { Link, useParams } from 'react-router'
import { typesQuery } from '@/api/imports'
import { profileQuery, usesQuery, type Profile } from '@/api/profiles'
import { Loaded } from '@/app/Loaded'
import { useText } from '@/i18n/messages'
import { ImportsTable } from '@/screens/imports/ImportsTable'
import { Badge, PageHeader, Panel, Stack } from '@/ui'
import { DeleteButton } from './DeleteButton'
import { ProfileContents } from './ProfileContents'
import { Use } from './Use'
import { Versions } from './Versions'

/** A profile: its contents, versions and uses. */
export function Component() {
  const { id = '' } = useParams()
  return <Loaded query={useQuery(profileQuery(id))}>{(profile) => <Whole profile={profile} />}</Loaded>
}

function Whole({ profile }: { profile: Profile }) {
  const text = useText()
  const { data: types = [] } = useQuery(typesQuery)
  const type = types.find(({ name }) => name === profile.importType)
  return (
    <>
      <PageHeader
        back={
          <Link to="/profiles">
            <ChevronLeft aria-hidden />
            {text('profiles.title')}
          </Link>
        }
        title={profile.name}
        badge={
          <Badge tone={profile.auto ? 'good' : 'neutral'}>
            {text(profile.auto ? 'profiles.auto' : 'profiles.named')}
          </Badge>
        }
        about={[type?.title ?? profile.importType, text('profile.version', { version: profile.version })].join(' · ')}
        actions={<DeleteButton profile={profile} />}
      />
      <Stack>
        <Panel title={text('profile.use')}>
          <Use key={profile.version} profile={profile} />
        </Panel>
        <Panel title={text('profile.contents')}>
          <ProfileContents profile={profile} />
        </Panel>
        <Panel title={text('profile.versions')}>
          <Versions profile={profile} />
        </Panel>
        <Uses id={profile.id} />
      </Stack>
    </>
  )
}

function Uses({ id }: { id: string }) {
  const text = useText()
  return (
    <Panel title={text('profile.uses')}>
      <Loaded query={useQuery(usesQuery(id))} lines={2}>
        {({ imports }) =>
          imports.length === 0 ? (
            <p>{text('profile.uses.none')}</p>
          ) : (
            <ImportsTable label={text('profile.uses')} imports={imports} />
          )
        }
      </Loaded>
    </Panel>
  )
}
