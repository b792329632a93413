import { ProgressBar } from 'react-aria-components'
import css from './Progress.module.css'

type ProgressProps = {
  label: string
  /** 0 to 100; null while nobody knows. */
  percent: number | null
  /** `thin` in lists, `thick` where it is what the screen is about. */
  size?: 'thin' | 'thick'
  tone?: 'busy' | 'good' | 'bad' | 'wait'
}

/** How far something is. */
export function Progress({ label, percent, size = 'thin', tone = 'busy' }: ProgressProps) {
  return (
    <ProgressBar aria-label={label} value={percent ?? 0} isIndeterminate={percent === null} className={`${css.bar} ${css[size]} ${css[tone]}`}>
      <svg className={css.svg} aria-hidden viewBox="0 0 100 1" preserveAspectRatio="none">
        <rect className={percent === null ? css.unknown : css.fill} width={percent ?? 30} height="1" />
      </svg>
    </ProgressBar>
  )
}
