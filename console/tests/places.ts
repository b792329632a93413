import type { RouteObject } from 'react-router'
import { screens } from '../src/app/routes'
import type { Made } from './made'

/** The addresses of every screen by route: one, or one per state. A screen without an entry here fails the walk. */
export const places: Record<string, (made: Made) => Record<string, string>> = {
  '/': () => ({ imports: '/', 'imports-none': '/?q=nothing' }),
  '/imports/new': () => ({ new: '/imports/new' }),
  '/imports/:id': ({ columns, values, faulty, plan, awaited }) => ({
    'import-columns': `/imports/${columns}`,
    'import-values': `/imports/${values}`,
    'import-faulty': `/imports/${faulty}`,
    'import-plan': `/imports/${plan}`,
    'import-awaited': `/imports/${awaited}`,
    'import-missing': '/imports/00000000-0000-4000-8000-000000000000',
  }),
  '/imports/:id/source': ({ columns }) => ({ source: `/imports/${columns}/source` }),
  '/imports/:id/rows': ({ faulty }) => ({
    rows: `/imports/${faulty}/rows`,
    'rows-open': `/imports/${faulty}/rows?show=open`,
  }),
  '/imports/:id/changes': ({ plan, faulty }) => ({
    changes: `/imports/${plan}/changes`,
    'changes-made': `/imports/${faulty}/changes`,
  }),
  '/imports/:id/undo': ({ faulty, preview }) => ({ undo: `/imports/${faulty}/undo?preview=${preview}` }),
  '/exports': () => ({ exports: '/exports' }),
  '/exports/new': () => ({ 'export-new': '/exports/new' }),
  '/profiles': () => ({ profiles: '/profiles' }),
  '/profiles/:id': ({ profile }) => ({ profile: `/profiles/${profile}` }),
  '/webhook': () => ({ webhook: '/webhook' }),
  '/history': ({ email }) => ({
    history: '/history',
    'history-found': `/history?${new URLSearchParams({ type: 'USER', by: 'EMAIL', key: email })}`,
  }),
  '/templates': () => ({ templates: '/templates' }),
  '/drop': () => ({ drop: '/drop' }),
  '/settings': () => ({ settings: '/settings' }),
  '/settings/types': () => ({ types: '/settings/types' }),
  '/settings/types/new': () => ({ 'type-new': '/settings/types/new?table=no.table' }), // screen-types.spec.ts shows a table
  '/settings/types/:name': () => ({ type: '/settings/types/NONE' }),
  '/operator': () => ({ operator: '/operator' }),
  '/signed-in': () => ({ 'signed-in': '/signed-in' }),
  '/*': () => ({ missing: '/no/such/screen' }),
}

/** The paths of all screens from the console's routes. */
export const paths = (routes: RouteObject[] = screens, above = ''): string[] =>
  routes.flatMap(({ path, children }) => {
    const own = path === undefined ? above : `${above}/${path}`
    return children ? paths(children, own) : [own || '/']
  })
