import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { importsQuery } from '@/api/imports'
import { quarantinePage, quarantineQuery } from '@/api/organisation'
import { Loaded } from '@/app/Loaded'
import { Pages } from '@/app/Pages'
import { pageOf, withPage } from '@/app/pageOf'
import { useText } from '@/i18n/messages'
import { ImportsTable } from '@/screens/imports/ImportsTable'
import { PageHeader, Panel, Stack } from '@/ui'
import { HowTo } from './HowTo'
import { Quarantine } from './Quarantine'

const arrivals = { uploader: 'drop', size: 10 }

/** The drop folder: its files, the quarantine with reasons, and instructions. All is shown at once to avoid layout shifts. */
export function Component() {
  const text = useText()
  const [query, setQuery] = useSearchParams()
  const page = pageOf(query)
  const aside = useQuery(quarantineQuery(page))
  const arrived = useQuery(importsQuery(arrivals))
  return (
    <>
      <PageHeader title={text('drop.title')} about={text('drop.about')} />
      <Loaded query={aside} lines={12}>
        {({ files, total }) => (
          <Loaded query={arrived} lines={12}>
            {({ imports }) => (
              <Stack>
                <Panel title={text('drop.aside')}>
                  {total === 0 ? (
                    <p>{text('drop.none')}</p>
                  ) : (
                    <Stack>
                      <Quarantine files={files} />
                      <Pages
                        page={page}
                        size={quarantinePage}
                        total={total}
                        label={text('drop.total', { count: total })}
                        onPage={(next) => setQuery(withPage(next))}
                      />
                    </Stack>
                  )}
                </Panel>
                <Panel title={text('drop.arrived')}>
                  {imports.length === 0 ? (
                    <p>{text('drop.arrived.none')}</p>
                  ) : (
                    <ImportsTable label={text('drop.arrived')} imports={imports} />
                  )}
                </Panel>
                <Panel title={text('drop.how')}>
                  <HowTo />
                </Panel>
              </Stack>
            )}
          </Loaded>
        )}
      </Loaded>
    </>
  )
}
