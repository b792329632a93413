import type { RouteObject } from 'react-router'
import { Shell } from '@/layout/Shell'
import { Crashed } from './Crashed'

/**
 * The screens: a folder of src/screens each, loaded when it is shown. A screen's module exports `Component`. Those of one import are
 * children of `imports/:id`, whose frame shows the phases.
 */
const screens: RouteObject[] = [
  { index: true, lazy: () => import('@/screens/imports/Imports') },
  { path: 'imports/new', lazy: () => import('@/screens/import-new/NewImport') },
  {
    path: 'imports/:id',
    lazy: () => import('@/screens/import/Frame'),
    children: [
      { index: true, lazy: () => import('@/screens/import/Overview') },
      { path: 'source', lazy: () => import('@/screens/source/Source') },
      { path: 'rows', lazy: () => import('@/screens/result/Result') },
    ],
  },
  { path: 'signed-in', lazy: () => import('@/screens/signed-in/SignedIn') },
  { path: '*', lazy: () => import('@/screens/not-found/NotFound') },
]

/** The route table of the console. */
export const routes: RouteObject[] = [{ element: <Shell />, errorElement: <Crashed />, hydrateFallbackElement: <></>, children: [{ errorElement: <Crashed />, children: screens }] }]
