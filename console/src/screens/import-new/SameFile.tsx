import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { stateOf } from '@/screens/import/state'
import { Badge, Bar, ButtonLink } from '@/ui'
import css from './Glance.module.css'
import { sameFileQuery } from './sameFile'

/** Says that exactly this file has been imported before, with links to that import and to its settings. Nothing otherwise. */
export function SameFile({
  file,
  isAgain,
}: {
  file: File
  /** Whether its settings are used already. */ isAgain: boolean
}) {
  const text = useText()
  const { moment } = useFormat()
  const { data: job } = useQuery(sameFileQuery(file))
  if (!job) return null
  const { name, tone } = stateOf(job)
  return (
    <div className={css.same} role="status">
      <History aria-hidden />
      <div>
        <p>
          {text(job.uploader ? 'new.same.by' : 'new.same', { at: moment(job.createdAt), who: job.uploader })}{' '}
          <Badge tone={tone}>{text(name)}</Badge>
        </p>
        <Bar>
          <ButtonLink size="small" to={`/imports/${job.identifier}`}>
            {text('new.same.open')}
          </ButtonLink>
          {!isAgain && (
            <ButtonLink size="small" look="quiet" to={`/imports/new?again=${job.identifier}`}>
              {text('new.same.again')}
            </ButtonLink>
          )}
        </Bar>
      </div>
    </div>
  )
}
