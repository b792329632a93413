import '@fontsource-variable/inter/wght.css'
import './theme/tokens.css'
import './theme/base.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { forgetAnswers } from './api/client'
import { ApiError } from './api/problem'
import { openRouter } from './app/router'
import { session } from './app/session'
import { Language } from './i18n/Language'
import { applyTheme, chosenTheme } from './theme/theme'

applyTheme(chosenTheme())

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 2 && error instanceof ApiError && error.passing,
      staleTime: 1_000,
    },
  },
})
const router = openRouter()

// The next person must not see cached data of the previous one.
session.subscribe(() => {
  if (session.state() === 'active') return
  queries.clear()
  forgetAnswers()
})

/** Maximum time to wait for the font, in milliseconds. */
const patience = 3_000
const letters = document.fonts.load('1em "Inter Variable"').catch(() => [])
const late = new Promise((goOn) => setTimeout(goOn, patience))

// Rendering waits for the font: a fallback font has other widths, and the layout would shift.
void Promise.race([letters, late]).then(() => {
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Language>
          <RouterProvider router={router} />
        </Language>
      </QueryClientProvider>
    </StrictMode>,
  )
})
