import { useQuery } from '@tanstack/react-query'
import { Compass } from 'lucide-react'
import { useLocation, useMatch, useNavigate } from 'react-router'
import { importQuery } from '@/api/imports'
import { offerSample } from '@/app/sample'
import { setTour } from '@/app/tour'
import { useText } from '@/i18n/messages'
import { Bar, Button } from '@/ui'
import css from './Tour.module.css'
import { tourStep, tourSteps } from './step'

/** The tour: a banner above each screen that says what can be done there, from the sample file to the finished import. */
export default function Tour() {
  const text = useText()
  const leave = useNavigate()
  const { pathname } = useLocation()
  const id = useMatch('/imports/:id/*')?.params.id ?? ''
  const { data: job } = useQuery({ ...importQuery(id), enabled: id !== '' && id !== 'new' })
  const step = tourStep(pathname, job)
  const open = () => {
    offerSample()
    void leave('/imports/new')
  }
  return (
    <section className={css.tour} aria-label={text('tour.title')}>
      <Compass aria-hidden />
      <div>
        <p role="status">
          <strong>
            {text('tour.step', { step: tourSteps.indexOf(step) + 1, count: tourSteps.length })} {text(`tour.${step}`)}
          </strong>{' '}
          {text(`tour.${step}.about`)}
        </p>
        <Bar>
          {step === 'choose' && (
            <Button size="small" onPress={open}>
              {text('tour.sample')}
            </Button>
          )}
          <Button size="small" look="quiet" onPress={() => setTour(false)}>
            {text(step === 'done' ? 'tour.finish' : 'tour.end')}
          </Button>
        </Bar>
      </div>
    </section>
  )
}
