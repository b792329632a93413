import { Wand2 } from 'lucide-react'
import { useText, type MessageKey } from '@/i18n/messages'
import { Button } from '@/ui'
import css from './Columns.module.css'
import type { Step } from './draft'

/** The number of suggestions that are shown. */
const most = 3

/** Buttons for transformations that the values suggest; nothing without any. */
export function Suggestions({ steps, onTake }: { steps: Step[]; onTake: (step: Step) => void }) {
  const nameOf = useStepName()
  if (steps.length === 0) return null
  return (
    <div className={css.suggestions}>
      {steps.slice(0, most).map((step) => (
        <Button key={JSON.stringify(step)} size="small" onPress={() => onTake(step)}>
          <Wand2 aria-hidden />
          {nameOf(step)}
        </Button>
      ))}
    </div>
  )
}

/** What a complete transformation does, in a few words. */
function useStepName(): (step: Step) => string {
  const text = useText()
  return ({ op, old = '', new: by = '', what, pattern = '' }) => {
    if (op === 'replace')
      return by
        ? text('columns.suggest.replace', { old: old.trim(), by })
        : text('columns.suggest.remove', { old: old.trim() })
    const detail = what ? text(`columns.strip.${what}`) : pattern
    return text('columns.suggest.other', { step: text(`columns.step.${op}` as MessageKey), detail })
  }
}
