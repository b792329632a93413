import { useText } from '@/i18n/messages'
import { Badge, Check, type Tone } from '@/ui'
import type { Noted } from './declaration'
import css from './Type.module.css'

const tones: Record<Noted['severity'], Tone> = { mustDecide: 'wait', error: 'bad', warning: 'neutral' }

type FindingsProps = {
  findings: Noted[]
  /** The findings that the person has decided on. Absent if nothing is to be decided. */
  decided?: ReadonlySet<Noted>
  onDecide?: (finding: Noted, isDecided: boolean) => void
}

/** What somebody should know about a declaration; guesses that must be decided on come with a check box. */
export function Findings({ findings, decided, onDecide }: FindingsProps) {
  const text = useText()
  return (
    <ul className={css.findings}>
      {findings.map((finding, index) => (
        <li key={index}>
          <Badge tone={decided?.has(finding) ? 'good' : tones[finding.severity]}>
            {text(decided?.has(finding) ? 'type.finding.decided' : `type.finding.${finding.severity}`)}
          </Badge>
          <span>
            {(finding.field ?? finding.path) && <code>{finding.field ?? finding.path}</code>} {finding.message}
          </span>
          {onDecide && finding.severity === 'mustDecide' && (
            <Check
              isSelected={decided?.has(finding) ?? false}
              onChange={(isDecided) => onDecide(finding, isDecided)}
              aria-label={text('type.decided.label', { message: finding.message })}
            >
              {text('type.decided')}
            </Check>
          )}
        </li>
      ))}
    </ul>
  )
}
