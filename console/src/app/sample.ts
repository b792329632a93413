import { offerFile } from './incoming'

/** The type of the sample file. Installations without the types of Loadbay lack it. */
export const sampleType = 'USER'

/** A small file with one invalid address, so that a correction can be tried. Its addresses are reserved for examples. */
const rows = [
  'Full name;E-mail address;Role',
  'Ada Lovelace;ada.lovelace@example.com;admin',
  'Alan Turing;alan.turing@example.com;user',
  'Grace Hopper;grace.hopper@example.com;user',
  'Katherine Johnson;katherine.johnson(at)example.com;user',
  'Edsger Dijkstra;edsger.dijkstra@example.com;user',
  'Barbara Liskov;barbara.liskov@example.com;user',
  'Claude Shannon;claude.shannon@example.com;user',
  'Hedy Lamarr;hedy.lamarr@example.com;user',
]

/** Offers the sample file to New import. */
export const offerSample = (): void => offerFile(new File([rows.join('\n')], 'sample.csv', { type: 'text/csv' }))
