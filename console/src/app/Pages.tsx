import { useText } from '@/i18n/messages'
import { Button } from '@/ui'
import css from './Pages.module.css'

type PagesProps = { page: number; size: number; total: number; /** How many there are, in words. */ label: string; onPage: (page: number) => void }

/** How many entries there are, newest first, and the way to the others. */
export function Pages({ page, size, total, label, onPage }: PagesProps) {
  const text = useText()
  const last = Math.max(0, Math.ceil(total / size) - 1)
  return (
    <div className={css.pages}>
      <span className="numeric">{label}</span>
      {last > 0 && (
        <span className={css.turn}>
          <Button size="small" isDisabled={page === 0} onPress={() => onPage(page - 1)}>{text('imports.newer')}</Button>
          <Button size="small" isDisabled={page >= last} onPress={() => onPage(page + 1)}>{text('imports.older')}</Button>
        </span>
      )}
    </div>
  )
}
