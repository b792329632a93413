import type { Schema } from '@/api/client'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Progress } from '@/ui'
import css from './Settings.module.css'

const names = ['openImports', 'announcedBytes', 'openExports', 'streams', 'requestsPerMinute'] as const

/** The usage of the organisation's quotas. */
export function Use({ quotas }: { quotas: Schema<'Quotas'> }) {
  const text = useText()
  const { count, size } = useFormat()
  return (
    <dl className={css.use}>
      {names.map((name) => {
        const { used, limit } = quotas[name]
        const shown = name === 'announcedBytes' ? size : count
        return (
          <div key={name}>
            <dt>{text(`settings.quota.${name}`)}</dt>
            <dd>
              {text('settings.used', { used: shown(used), limit: shown(limit) })}
              <Progress
                label={text(`settings.quota.${name}`)}
                percent={limit > 0 ? Math.min(100, (100 * used) / limit) : 100}
                tone={used >= limit ? 'bad' : 'busy'}
              />
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
