import type { RouteObject } from 'react-router'

/** Metadata of a route's screen. */
export type Handle = { wide?: boolean }

const wide: Handle = { wide: true }

/**
 * The screens: a folder of src/screens each, loaded when it is shown. A screen's module exports `Component`. Those of one import are
 * children of `imports/:id`, whose frame shows the phases. Screens with rows of a file use the full width.
 */
export const screens: RouteObject[] = [
  { index: true, lazy: () => import('@/screens/imports/Imports') },
  { path: 'imports/new', lazy: () => import('@/screens/import-new/NewImport') },
  {
    path: 'imports/:id',
    lazy: () => import('@/screens/import/Frame'),
    children: [
      { index: true, lazy: () => import('@/screens/import/Overview') },
      { path: 'source', handle: wide, lazy: () => import('@/screens/source/Source') },
      { path: 'rows', handle: wide, lazy: () => import('@/screens/result/Result') },
      { path: 'changes', handle: wide, lazy: () => import('@/screens/changes/Changes') },
      { path: 'undo', lazy: () => import('@/screens/undo/Undo') },
    ],
  },
  { path: 'exports', lazy: () => import('@/screens/exports/Exports') },
  { path: 'exports/new', lazy: () => import('@/screens/export-new/NewExport') },
  { path: 'profiles', lazy: () => import('@/screens/profiles/Profiles') },
  { path: 'profiles/:id', lazy: () => import('@/screens/profile/Profile') },
  { path: 'webhook', lazy: () => import('@/screens/webhook/Webhook') },
  { path: 'history', lazy: () => import('@/screens/history/History') },
  { path: 'templates', lazy: () => import('@/screens/templates/Templates') },
  { path: 'drop', lazy: () => import('@/screens/drop/Drop') },
  { path: 'settings', lazy: () => import('@/screens/settings/Settings') },
  { path: 'settings/types', lazy: () => import('@/screens/types/Types') },
  { path: 'settings/types/new', lazy: () => import('@/screens/type/NewType') },
  { path: 'settings/types/:name', lazy: () => import('@/screens/type/Type') },
  { path: 'operator', lazy: () => import('@/screens/operator/Operator') },
  { path: 'signed-in', lazy: () => import('@/screens/signed-in/SignedIn') },
  { path: '*', lazy: () => import('@/screens/not-found/NotFound') },
]
