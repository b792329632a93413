import { ProgressBar } from 'react-aria-components'
import css from './Progress.module.css'

/** A part of a bar: its share in percent. `new` and `changed` are outcomes, which have the colours of their figures. */
export type Segment = { tone: 'new' | 'changed' | 'same' | 'wait' | 'bad'; percent: number }

type ProgressProps = {
  label: string
  /** Percentage from 0 to 100; null if unknown. */
  percent: number | null
  /** `thin` in lists, `thick` as the main content of a screen. */
  size?: 'thin' | 'thick'
  tone?: 'busy' | 'good' | 'bad' | 'wait'
  /** The parts of the bar by outcome, instead of one tone. */
  segments?: Segment[]
}

/** A progress bar. */
export function Progress({ label, percent, size = 'thin', tone = 'busy', segments = [] }: ProgressProps) {
  // Assistive technology cannot read tiny shares, which JavaScript writes with an exponent.
  const value = Math.round((percent ?? 0) * 100) / 100
  const isSplit = percent !== null && segments.length > 0
  return (
    <ProgressBar
      aria-label={label}
      value={value}
      isIndeterminate={percent === null}
      className={`${css.bar} ${css[size]} ${css[tone]}`}
    >
      <svg className={css.svg} aria-hidden viewBox="0 0 100 1" preserveAspectRatio="none">
        {isSplit ? (
          segments.map((segment, place) => (
            <rect
              key={segment.tone}
              className={css[`of-${segment.tone}`]}
              x={segments.slice(0, place).reduce((sum, before) => sum + before.percent, 0)}
              width={segment.percent}
              height="1"
            />
          ))
        ) : (
          <rect className={percent === null ? css.unknown : css.fill} width={percent ?? 30} height="1" />
        )}
      </svg>
    </ProgressBar>
  )
}
