import { useQuery } from '@tanstack/react-query'
import { overviewQuery } from '@/api/operator'
import { Loaded } from '@/app/Loaded'
import { useFormat } from '@/i18n/format'
import { useText } from '@/i18n/messages'
import { Bar, Panel } from '@/ui'
import css from './Operator.module.css'

/** Figures of the installation. */
export function Overview() {
  const text = useText()
  const { count, ago, duration } = useFormat()
  return (
    <Loaded query={useQuery(overviewQuery)} lines={3}>
      {(now) => {
        const open = now.imports.filter(({ status }) => !['COMPLETED', 'FAILED', 'CANCELLED'].includes(status))
        const figures: [name: string, value: string, about: string, bad?: boolean][] = [
          [
            text('operator.stuck'),
            count(now.stuckImports + now.stuckExports + now.openErasures),
            text('operator.stuck.after', { time: duration(now.stuckAfterSeconds) }),
            now.stuckImports + now.stuckExports + now.openErasures > 0,
          ],
          [
            text('operator.open'),
            count(open.reduce((sum, each) => sum + each.count, 0)),
            open.length > 0
              ? text('operator.oldest', { when: ago(open.map(({ oldestAt }) => oldestAt).sort()[0]!) })
              : text('operator.none'),
          ],
          [text('operator.rate'), count(Math.round(now.rowsPerSecond)), text('operator.rate.about')],
          [text('operator.rows'), count(now.rows), text('operator.rows.wrong', { count: now.errorRows })],
          [
            text('operator.failed'),
            count(now.failures.reduce((sum, each) => sum + each.count, 0)),
            now.failures.map((each) => `${each.code} ${count(each.count)}`).join(' · ') || text('operator.none'),
          ],
        ]
        return (
          <Panel
            title={text('operator.overview')}
            actions={
              <Bar>
                {now.executionsUrl && <a href={now.executionsUrl}>{text('operator.executions')}</a>}
                {now.dashboardUrl && <a href={now.dashboardUrl}>{text('operator.dashboard')}</a>}
              </Bar>
            }
          >
            <dl className={css.figures}>
              {figures.map(([name, value, about, bad]) => (
                <div key={name} data-bad={bad}>
                  <dt>{name}</dt>
                  <dd>
                    <strong>{value}</strong>
                    <span>{about}</span>
                  </dd>
                </div>
              ))}
            </dl>
            <ul className={css.states} aria-label={text('operator.states')}>
              {now.imports.map(({ status, count: of, oldestAt }) => (
                <li key={status}>
                  {text(`operator.is.${status}`)} <strong>{count(of)}</strong>{' '}
                  <span>· {text('operator.oldest', { when: ago(oldestAt) })}</span>
                </li>
              ))}
            </ul>
          </Panel>
        )
      }}
    </Loaded>
  )
}
