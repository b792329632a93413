import { useId, useRef } from 'react'
import { useText } from '@/i18n/messages'
import { Button } from '@/ui'
import type { Fault } from './declaration'
import css from './Type.module.css'

const [fewest, most] = [12, 32]

type YamlEditorProps = {
  label: string
  source: string
  faults: Fault[]
  /** Absent if the source cannot be changed. */ onChange?: ((source: string) => void) | undefined
}

/** A text with numbered lines. Lines with faults are marked, and each fault links to its place. */
export function YamlEditor({ label, source, faults, onChange }: YamlEditorProps) {
  const text = useText()
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  const lines = source.split('\n')
  const wrong = new Set(faults.map(({ line }) => line))
  const show = ({ line, column }: Fault) => {
    const offset = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
    const end = offset + (lines[line - 1]?.length ?? 0)
    area.current?.focus()
    area.current?.setSelectionRange(Math.min(offset + column - 1, end), end)
  }
  return (
    <>
      <div className={css.editor} dir="ltr">
        <div className={css.gutter} ref={gutter} aria-hidden>
          {lines.map((_, index) => (
            <span key={index} data-wrong={wrong.has(index + 1) || undefined}>
              {index + 1}
            </span>
          ))}
        </div>
        <textarea
          ref={area}
          className={css.source}
          aria-label={label}
          aria-invalid={faults.length > 0}
          aria-describedby={faults.length > 0 ? id : undefined}
          rows={Math.min(most, Math.max(fewest, lines.length))}
          value={source}
          readOnly={!onChange}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          onChange={(event) => onChange?.(event.currentTarget.value)}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop
          }}
        />
      </div>
      <div id={id} role="status">
        {faults.length > 0 && (
          <ul className={css.faults}>
            {faults.map((fault, index) => (
              <li key={index}>
                <Button size="small" look="quiet" onPress={() => show(fault)}>
                  {text('type.place', { line: fault.line, column: fault.column })}
                </Button>
                <span>{fault.message}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  )
}
