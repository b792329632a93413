import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { expect, test } from 'vitest'
import de from './de.json'
import en from './en.json'
import es from './es.json'
import fr from './fr.json'
import nl from './nl.json'

const placeholders = (elements: MessageFormatElement[]): string[] =>
  elements.flatMap((element) => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return []
    if (element.type === TYPE.plural || element.type === TYPE.select)
      return [element.value, ...Object.values(element.options).flatMap((option) => placeholders(option.value))]
    return element.type === TYPE.tag ? [element.value, ...placeholders(element.children)] : [element.value]
  })

const names = (message: string) => [...new Set(placeholders(parse(message)))].sort()

test.each(Object.entries({ de, fr, es, nl }))('%s has every text, with the same values in it', (_, messages) => {
  expect(Object.keys(messages)).toEqual(Object.keys(en))
  for (const [key, text] of Object.entries(messages)) {
    expect(names(text), key).toEqual(names(en[key as keyof typeof en]))
  }
})
