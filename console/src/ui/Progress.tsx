import { ProgressBar } from 'react-aria-components'
import css from './Progress.module.css'

type ProgressProps = {
  label: string
  /** Percentage from 0 to 100; null if unknown. */
  percent: number | null
  /** `thin` in lists, `thick` as the main content of a screen. */
  size?: 'thin' | 'thick'
  tone?: 'busy' | 'good' | 'bad' | 'wait'
}

/** A progress bar. */
export function Progress({ label, percent, size = 'thin', tone = 'busy' }: ProgressProps) {
  return (
    <ProgressBar
      aria-label={label}
      value={percent ?? 0}
      isIndeterminate={percent === null}
      className={`${css.bar} ${css[size]} ${css[tone]}`}
    >
      <svg className={css.svg} aria-hidden viewBox="0 0 100 1" preserveAspectRatio="none">
        <rect className={percent === null ? css.unknown : css.fill} width={percent ?? 30} height="1" />
      </svg>
    </ProgressBar>
  )
}
