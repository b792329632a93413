import { useQuery } from '@tanstack/react-query'
import { driftQuery } from '@/api/declarations'
import { useText } from '@/i18n/messages'
import { Badge, Panel, type Tone } from '@/ui'
import css from './Type.module.css'

const tones: Record<string, Tone> = { hold: 'bad', tell: 'wait', ignore: 'neutral' }

/** How the table differs from the one that the version was saved for. Nothing is shown without differences. */
export function Drift({ name }: { name: string }) {
  const text = useText()
  const { data } = useQuery(driftQuery(name))
  if (!data || data.differences.length === 0) return null
  return (
    <Panel title={text('type.drift')}>
      <ul className={css.findings}>
        {data.differences.map(({ category, column, name: part, reaction, message }) => (
          <li key={`${category} ${column} ${part}`}>
            <Badge tone={tones[reaction] ?? 'neutral'}>{text(`type.drift.${reaction}`)}</Badge>
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
