import { createBrowserRouter } from 'react-router'
import { Shell } from '@/layout/Shell'
import { Crashed } from './Crashed'
import { screens } from './routes'

/** The router of the console, with the shell around every screen and an error page. */
export const openRouter = () =>
  createBrowserRouter([
    {
      element: <Shell />,
      errorElement: <Crashed />,
      hydrateFallbackElement: <></>,
      children: [{ errorElement: <Crashed />, children: screens }],
    },
  ])
