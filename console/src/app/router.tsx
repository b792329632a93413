import { createBrowserRouter } from 'react-router'
import { Shell } from '@/layout/Shell'
import { Crashed } from './Crashed'
import { screens } from './routes'

/** The router of the console: every screen in the frame, and a face for what fails. */
export const openRouter = () =>
  createBrowserRouter([{ element: <Shell />, errorElement: <Crashed />, hydrateFallbackElement: <></>, children: [{ errorElement: <Crashed />, children: screens }] }])
