import { useQuery } from '@tanstack/react-query'
import { meQuery } from '@/api/imports'
import { settingsQuery } from '@/api/organisation'
import { Loaded } from '@/app/Loaded'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { ButtonLink, Facts, PageHeader, Panel, Stack } from '@/ui'
import { ApiKeys } from './ApiKeys'
import { Organisation } from './Organisation'
import { Preferences } from './Preferences'
import { Use } from './Use'

/** The import settings and quotas of the organisation. */
export function Component() {
  const text = useText()
  const { moment } = useFormat()
  const { data: me } = useQuery(meQuery)
  return (
    <>
      <PageHeader title={text('settings.title')} about={text('settings.about')} />
      <Loaded query={useQuery(settingsQuery)}>
        {(settings) => (
          <Stack>
            <Panel title={text('settings.preferences')}>
              <Preferences key={settings.updatedAt} settings={settings} />
            </Panel>
            {me?.scopes.includes('types:read') && (
              <Panel title={text('types.title')} actions={<ButtonLink to="types">{text('types.open')}</ButtonLink>}>
                <p>{text('types.about')}</p>
              </Panel>
            )}
            <Panel title={text('settings.use')}>
              <Use quotas={settings.quotas} />
            </Panel>
            {me?.scopes.includes('settings:write') && (
              <Panel title={text('keys.title')}>
                <ApiKeys scopes={me.scopes} />
              </Panel>
            )}
            {me?.scopes.includes('organisation:write') && (
              <Panel title={text('whole.title')}>
                <Organisation />
              </Panel>
            )}
            <Panel title={text('settings.organisation')}>
              <Facts
                facts={[
                  [text('settings.organisation'), me && (me.organisationName ?? String(me.organisationId))],
                  [text('settings.me'), me?.subject ?? null],
                  [text('settings.scopes'), me?.scopes.join(', ') ?? null],
                  [
                    text('settings.changed'),
                    settings.updatedAt && [moment(settings.updatedAt), settings.updatedBy].filter(Boolean).join(' · '),
                  ],
                ]}
              />
            </Panel>
          </Stack>
        )}
      </Loaded>
    </>
  )
}
